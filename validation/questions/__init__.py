"""The questions of a project, for the team: the list, the page of each, and what it can do.

The team excludes questions, restores them and sends them back. What people wrote is only read.
"""
