"""Files of questions: one streaming reader for each format, and the job that imports, sorts and
undoes.

What a protocol needs of records, its adapter says.
"""
