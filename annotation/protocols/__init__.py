"""The protocols: what a kind of project consists of, one frozen object for each.

config puts them together; here nothing of their parts is imported but for the type checker.
"""
