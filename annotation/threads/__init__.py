"""Messages between a person and the team about an assignment: questions, claims and feedback.

Feedback is a closed thread. What follows from a claim is decided in validation.
"""
