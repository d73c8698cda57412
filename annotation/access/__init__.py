"""Who may see and do what in a project, and loading what a page is about with that check.

Reads memberships and states; writes nothing.
"""
