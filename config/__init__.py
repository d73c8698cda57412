"""The composition root: settings, URLs, Celery, embedded services. No other app imports it."""
