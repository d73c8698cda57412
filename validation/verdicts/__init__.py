"""The form on which a validator judges annotators' answers and says which are accepted.

The form as values, its rules, its buttons and its page; the rows of what was submitted. It knows
no decision, and its page names no annotator.
"""
