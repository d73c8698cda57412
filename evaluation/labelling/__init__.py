"""Labels that say in which ways the questions of a sample are ambiguous.

Knows no system and no study; a report counts the labels.
"""
