"""Figures that take long to count in large projects, counted by the worker and shown with their
age.

What is counted, each room registers.
"""
