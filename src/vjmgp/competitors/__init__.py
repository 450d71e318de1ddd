"""The learners that VJM-GP is compared with: tuning, model sizes, formulas.

`config/methods.yaml` has the class and the grid of each; most classes are those of scikit-learn,
LightGBM and XGBoost. This package has their shared code and wrappers for four more.
"""
