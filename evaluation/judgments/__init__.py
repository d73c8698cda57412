"""Judgments as files and for reading: imports, exports, the kit's columns, pairs of answers.

An import makes a closed study or nothing. No figure is computed here.
"""
