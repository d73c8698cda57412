"""Words that people chose in an article: found, described, stored, and found again later.

The text of an article decides where they are; what a browser says is a hint.
"""
