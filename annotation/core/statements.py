"""SQL that tells the state of the data."""

# Every change of data writes a row to the log in the same transaction, so the newest rows identify
# the state of the data. The highest number alone would not do: a row gets its number before its
# transaction ends, so a lower number may appear after a higher one. Index: audit_of_project, which
# BETWEEN and the order lead to.
NEWEST_AUDIT_ROWS = """
    SELECT max(id), md5(string_agg(id::text, ',' ORDER BY id))
    FROM (SELECT id FROM annotation_auditentry WHERE project BETWEEN %(project)s AND %(project)s
          ORDER BY project, id DESC LIMIT 1000) newest
"""
