"""The learners that VJM-GP is compared with: tuned exactly, sized by one convention, as formulas.

`config/methods.yaml` names each by its class and grid; most classes are those of scikit-learn,
LightGBM and XGBoost. Here is what they share, and wrappers for four others.
"""
