"""WSGI entry point: `gunicorn config.wsgi`."""

import gc
import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

from config import embedded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
embedded.ensure()

application = get_wsgi_application()

# With --preload the processes that answer are copies of this one and share its memory, as long as
# none writes to it. So what every page needs is loaded here rather than with the first request of
# each, and the garbage collector leaves it alone.
for name in (
    *("config.urls", "config.celery"),
    *("wikipedia.reader", "wikipedia.cells", "wikipedia.providers.zim"),
):
    import_module(name)
gc.collect()
gc.freeze()
