"""The report: a page to start from and a folder of pages beside it, for any browser, offline.

`write` renders the templates; `overview`, `experiments` and `datasets` gather what they show, from
the tables and figures that earlier steps wrote; `so_far` makes a report of an unfinished study.
"""
