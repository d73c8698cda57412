"""Forms of work, without Django: what one holds, how it is read, checked, pressed and shown.

`sheet.Sheet` says what a form of work is; `fields` declares what it holds; `rules` and `report`
check it. A sheet knows no assignment, no request and no row: a stage gives it what it may know.
"""
