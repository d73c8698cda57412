"""AmbigQA’s first stage: pairs of a question and its answers, their rules, rows and exports.

Sheet, responses and checks know no Django.
"""
