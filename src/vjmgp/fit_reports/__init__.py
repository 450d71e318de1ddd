"""Turn a table into a folder with a fitted model and a page about it.

The public function is `vjmgp.fit_report`. The package is called `fit_reports`, because a package of
the function's name would replace it in `vjmgp` once a module of the package is imported.
"""
