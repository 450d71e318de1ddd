"""The paper's claims beside our results.

`claims` reads them, `verdicts` has the rules, and `score` combines both.
"""
