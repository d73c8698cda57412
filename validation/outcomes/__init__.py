"""What came of each submission, stored whenever a question is settled.

It compares a person's answers with the accepted ones. It takes no claim and decides nothing.
"""
