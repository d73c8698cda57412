"""A validator's turn: what the stage of validation gives, shows and writes.

It hands what the form says to decisions. It knows nothing of audits, and only the team's rulings
of claims.
"""
