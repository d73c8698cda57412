"""SQL of sessions."""

# The session and whose it is; every column of the person is named, in the model's order. By the
# keys of both.
SESSION_AND_PERSON = """
    SELECT s.session_data, u.* FROM accounts_session s LEFT JOIN accounts_user u ON u.id = s.user_id
    WHERE s.session_key = %(key)s AND s.expire_date > %(now)s
"""
