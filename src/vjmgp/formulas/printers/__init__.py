"""Print expressions as text, LaTeX, sympy and MathML."""
