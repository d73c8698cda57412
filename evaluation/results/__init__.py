"""The results of a study: its figures, computed by a job, and the pages and files of them.

Pages only show what is stored. Knows no report.
"""
