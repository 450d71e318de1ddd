"""The paper's claims beside our outcome: `claims` reads them, `verdicts` has the rules, `score`
puts both together.
"""
