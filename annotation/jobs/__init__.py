"""Work of the background workers as rows: with fencing, progress, log, stopping and trying again.

Kinds of jobs are parts of extensions; no kind is named here.
"""
