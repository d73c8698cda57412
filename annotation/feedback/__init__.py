"""Feedback of the team on submitted work, a closed thread, and reading it."""
