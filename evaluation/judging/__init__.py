"""The stages in which judges and experts judge the answers of a study.

Nothing that reaches a page tells which system wrote a text. The sheet knows no row.
"""
