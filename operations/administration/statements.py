"""SQL of what stands beside every section."""

# What the list of sections counts: people (participants have no account of their own), projects,
# and jobs that failed within 30 days without one like it done since. By job_newest_ended and
# job_newest_of_project.
COUNT_FOR_SECTIONS = """
    SELECT (SELECT count(*) FROM accounts_user WHERE NOT is_participant),
           (SELECT count(*) FROM annotation_project),
           (SELECT count(*) FROM annotation_job j
            WHERE j.ended_at > %(since)s AND j.state = 'failed' AND NOT EXISTS (
                SELECT 1 FROM annotation_job newer
                WHERE newer.project_id = j.project_id AND newer.id > j.id
                  AND newer.kind = j.kind AND newer.state = 'done'))
"""
