"""Copies accepted questions into a project of long answers.

A job imports the file that a release would give. It knows no layout's records and no answer.
"""
