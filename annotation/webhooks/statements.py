"""SQL of webhooks."""

# Any webhook of the project of question `q`. Index: webhook_address_once.
ANY_WEBHOOK = """(SELECT w.id FROM annotation_webhook w
             WHERE w.project_id = q.project_id AND w.stopped_at IS NULL LIMIT 1)"""
