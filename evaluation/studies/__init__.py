"""Studies: which answers people judge, in which pairs, and who judges them.

Shows no task to anybody and computes no result: it asks for the job that does.
"""
