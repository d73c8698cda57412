"""Exams and training: their items, attempts, grading, and who is qualified for which work."""
