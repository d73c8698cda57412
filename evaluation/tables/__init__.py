"""Tables for LaTeX, in which the text of a person is never a command.

Knows no figure and no row: it is given cells.
"""
