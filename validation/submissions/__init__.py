"""The pages on which people see their own submissions and ask about a result.

It has no rows of its own and decides nothing: outcomes, threads and claims do what is asked.
"""
