"""The log of a project: rows of the audit as sentences with links.

Sentences and targets are parts of extensions.
"""
