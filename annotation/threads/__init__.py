"""Messages between a person and the team about an assignment: questions and claims.

What follows from a claim is decided in validation.
"""
