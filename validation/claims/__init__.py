"""Claims of annotators that a result is wrong, and the team's rulings on them.

A ruling that changes the result writes a decision of its own. The team edits with the parts of a
validator's form; a validator's turn is not known here.
"""
