"""SQL of the list of all projects."""

# The size of every project and when something last happened there. Questions and assignments are
# counted by the indexes on their project, without their rows: some 0.1 s for a million of each. The
# newest row of the log is found by audit_of_project.
SIZE_OF_PROJECTS = """
    SELECT p.id, COALESCE(q.n, 0), COALESCE(a.n, 0), COALESCE(m.n, 0),
           (SELECT e.at FROM annotation_auditentry e
            WHERE e.project BETWEEN p.id AND p.id ORDER BY e.project, e.id DESC LIMIT 1)
    FROM annotation_project p
    LEFT JOIN (SELECT project_id, count(*) AS n FROM annotation_question
               GROUP BY project_id) q ON q.project_id = p.id
    LEFT JOIN (SELECT project_id, count(*) AS n FROM annotation_assignment
               GROUP BY project_id) a ON a.project_id = p.id
    LEFT JOIN (SELECT project_id, count(DISTINCT user_id) AS n FROM annotation_membership
               GROUP BY project_id) m ON m.project_id = p.id
"""

# How many bytes the tables of projects take with their indexes: a look at the sizes of files, which
# reads no row. The tables of the installation itself are left out.
BYTES_OF_TABLES = """
    SELECT COALESCE(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
      AND c.relname ~ '^(annotation|validation|evaluation|crowds|natural_questions|qampari)_'
"""
