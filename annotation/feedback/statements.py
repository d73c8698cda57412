"""SQL of feedback."""

# The newest feedback that a person has got in a project. Messages by their receiver.
NEWEST_FEEDBACK = """
        SELECT max(m.id) FROM annotation_message m JOIN annotation_thread t ON t.id = m.thread_id
        WHERE m.receiver_id = %(user)s AND t.project_id = %(project)s AND t.kind = 'feedback'
        """
