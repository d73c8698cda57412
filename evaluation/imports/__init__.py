"""What every import of a file has in common: its form, its checks, how a job reads it.

Knows no format and stores nothing: systems and judgments read their own files.
"""
