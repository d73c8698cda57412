"""SQL of figures: which projects are large."""

# Index entries are counted, and at most LARGE of them.
LARGE_PROJECTS = """
    SELECT p.id FROM annotation_project p
    WHERE p.state <> 'archived' AND (
        (SELECT count(*) FROM (SELECT 1 FROM annotation_question q
                               WHERE q.project_id = p.id LIMIT %s) q) >= %s
        OR (SELECT count(*) FROM (SELECT 1 FROM annotation_assignment a
                                  WHERE a.project_id = p.id LIMIT %s) a) >= %s)
"""

# Whether nobody else counts the figures of a project. Freed at the end of the transaction.
LOCK_PROJECT = "SELECT pg_try_advisory_xact_lock(%s, %s)"
