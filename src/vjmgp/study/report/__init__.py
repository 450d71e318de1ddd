"""The report: a start page and a folder of pages, for any browser, offline.

`write` renders the templates with the contents that `overview_page`, `experiment_pages`,
`dataset_pages` and `srbench_page` read from tables and figures; `so_far` reports on an unfinished
study.
"""
