"""The report: a start page and a folder of pages, for any browser, offline.

`write` renders the templates with the contents that the modules named after pages read from tables
and figures; `so_far` reports on an unfinished study.
"""
