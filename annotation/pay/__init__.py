"""The ledger of pay: what each submission is worth, what was posted, corrections and payouts as
files.

Rows are never changed, only added.
"""
