"""SQL of what stands beside every section."""

# What the list of sections counts, in small tables. Participants have no account of their own.
COUNT_FOR_SECTIONS = """
    SELECT (SELECT count(*) FROM accounts_user WHERE NOT is_participant),
           (SELECT count(*) FROM annotation_project)
"""
