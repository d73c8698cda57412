"""The tables and figures of the papers, from the data of a project. Formulas: docs/reports.md.

They take scores, results and labels as other rooms made them, and store nothing.
"""
