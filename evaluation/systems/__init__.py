"""Systems and what they answered, from files or from the long answers of the project.

Computes no score, and of studies knows only which ones use a system.
"""
