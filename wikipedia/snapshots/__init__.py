"""Wikipedias as of a day: how one is registered, indexed, looked at and who may see it.

It keeps no text that people read.
"""
