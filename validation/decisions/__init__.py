"""What is accepted for a question: decisions, their sets of answers, and how both are read.

A decision is never edited, another replaces it. This room does not know why one was made: turns,
claims and the team's exclusions ask it to write theirs.
"""
