"""Illustrations of the method, computed by the functions of the engine.

`vicinity` shows vicinal points, noise estimates and intrusion detection, `example_models` the
models that evolution finds, `flow_chart` the order of the parts; `draw_illustrations` writes all.
"""
