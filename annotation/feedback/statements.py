"""SQL of feedback."""

# The newest feedback that a person has got in a project. Assignments by an index that begins with
# the person, feedback by its assignment.
NEWEST_FEEDBACK = """
        SELECT max(f.id) FROM annotation_assignment a
        JOIN annotation_feedback f ON f.assignment_id = a.id
        WHERE a.user_id = %(user)s AND a.project_id = %(project)s
        """
