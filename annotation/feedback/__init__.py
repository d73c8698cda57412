"""Feedback of the team on submitted work, and reading it."""
