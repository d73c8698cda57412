"""SQL of validators' turns."""

# Who wrote annotations, by their keys.
AUTHORS_OF_ANNOTATIONS = (
    "SELECT id, author_id FROM annotation_annotation WHERE id = ANY(%(covers)s::bigint[])"
)

# Of the newest validations of one validator in a project: the number of pairs of the smallest set
# they accepted, 0 where they accepted none. By validator, and within the last ones.
OWN_SIZES = """
    SELECT coalesce((
        SELECT min(size.n) FROM (
            SELECT count(p.id) AS n FROM validation_acceptedannotation c
            LEFT JOIN validation_acceptedpair p ON p.accepted_id = c.id
            WHERE c.decision_id = d.id GROUP BY c.id) size), 0)
    FROM validation_validation v
    JOIN annotation_assignment a ON a.id = v.assignment_id
    JOIN validation_decision d ON d.validation_id = v.id
    WHERE v.validator_id = %(validator)s AND a.project_id = %(project)s
      AND a.state = 'submitted' AND a.used
    ORDER BY v.id DESC LIMIT %(most)s
"""
