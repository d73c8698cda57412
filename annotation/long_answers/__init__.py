"""ASQA: the long answer with its knowledge, checks, rows and exports; in `concerns`, doubts about a
question.

Inputs, response, checks and sheet know no Django.
"""
