"""Sheets, the forms of work, without Django: their fields, rules, buttons and display.

`sheet.Sheet` is the base class; `fields` declares the values of a sheet; `rules` and `report` check
them. A sheet knows no assignment, request or row: a stage gives it what it may know.
"""
