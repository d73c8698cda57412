"""What automatic metrics say of the answers of systems on a split, measured and stored.

Starts no job and shows nothing: room scoring does. Knows no study and no report.
"""
