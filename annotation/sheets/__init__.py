"""Forms of work, without Django: what one holds, its presses, its rules as data, what its page
shows.

`sheet.Sheet` is the base class; `fields` declares the values of a sheet; `rules` and `report` check
them. A sheet knows no assignment, request or row: a stage gives it what it may know.
"""
