"""The audit: experts answer a sample of finished questions again, without seeing the answers.

An audit only gives figures; it never changes a decision. It does not know the report they go into.
"""
