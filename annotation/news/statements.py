"""SQL of news."""

# How much is new to a person since a moment. Assignments by assignment_mine_by_state and
# assignment_of_person, messages by their receiver; memberships, concerns and
# invitations by the person, guidelines by guideline_version_unique.
COUNT_NEWS = """
    SELECT (SELECT (count(*) > 0)::int FROM annotation_membership m
            JOIN annotation_project p ON p.id = m.project_id AND p.state <> 'archived'
            WHERE m.user_id = %(user)s AND m.created_at > %(since)s AND m.role <> ALL(%(staff)s))
         + (SELECT count(*) FROM annotation_assignment a
            WHERE a.user_id = %(user)s AND a.state = 'parked' AND a.returned_at > %(since)s)
         + (SELECT count(DISTINCT t.assignment_id) FROM annotation_message m
            JOIN annotation_thread t ON t.id = m.thread_id
            WHERE m.receiver_id = %(user)s AND m.read_at IS NULL)
         + (SELECT count(*) FROM annotation_concern c
            WHERE c.author_id = %(user)s AND c.state = ANY(%(decided)s) AND c.read_at IS NULL
              AND c.assignment_id IS NOT NULL)
         + (SELECT count(DISTINCT g.project_id) FROM annotation_guideline g
            JOIN annotation_membership m ON m.project_id = g.project_id
            JOIN annotation_project p ON p.id = g.project_id AND p.state <> 'archived'
            WHERE m.user_id = %(user)s AND g.created_at > %(since)s AND g.version > 1)
         + (SELECT count(*) FROM annotation_invitation i
            WHERE i.invited_by_id = %(user)s
              AND (i.declined_at > %(since)s OR i.renewal_asked_at > %(since)s)
              AND (%(everywhere)s OR EXISTS (
                   SELECT 1 FROM annotation_membership m WHERE m.project_id = i.project_id
                     AND m.user_id = %(user)s AND m.role = 'admin')))
"""
