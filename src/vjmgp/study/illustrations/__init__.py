"""The method in pictures, computed by the engine's own functions and not drawn by hand.

`vicinity` shows what happens between points, `trees` what Extra Trees tell of noise and of the data
manifold, `models` what evolution makes of it; `draw` writes all of them.
"""
