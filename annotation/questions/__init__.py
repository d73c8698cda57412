"""The list of a project’s questions: filters, order, neighbours, and moving questions in the
queue.
"""
