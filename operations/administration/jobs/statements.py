"""SQL of the page of all jobs."""

# How the jobs of the last day ended, and how long they took from their start. By job_newest_ended.
ENDED_IN_A_DAY = """
    SELECT count(*) FILTER (WHERE state = 'done'), count(*) FILTER (WHERE state = 'failed'),
           percentile_cont(0.5) WITHIN GROUP (
               ORDER BY EXTRACT(epoch FROM ended_at - started_at)) FILTER (WHERE state = 'done'),
           max(EXTRACT(epoch FROM ended_at - started_at)) FILTER (WHERE state = 'done')
    FROM annotation_job WHERE ended_at > %(since)s
"""
