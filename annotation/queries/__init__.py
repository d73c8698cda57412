"""Reads that cross rows."""
