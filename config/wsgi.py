"""WSGI entry point: `manage.py web` serves it."""

import gc
import io
import os
import sys
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.shortcuts import resolve_url

from annotation import registration
from config import embedded, versions

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
embedded.start_if_wanted()

application = get_wsgi_application()
versions.end_on_misfit()


def _show_sign_in() -> None:
    """Answer a request for the sign-in page, so that addresses and templates are loaded."""
    host = "".join(settings.ALLOWED_HOSTS[:1]).lstrip(".*") or "localhost"
    request = {
        **{"REQUEST_METHOD": "GET", "PATH_INFO": resolve_url(settings.LOGIN_URL)},
        **{"SERVER_NAME": host, "SERVER_PORT": "443", "HTTP_HOST": host},
        **{"wsgi.url_scheme": "https", "wsgi.input": io.BytesIO(), "wsgi.errors": sys.stderr},
    }
    page = application(request, lambda *head: lambda body: None)
    page.close()
    connections.close_all()


# The processes that answer are copies of this one and share its memory, as long as none writes to
# it. So what every page needs is loaded here rather than with the first request of each, and the
# garbage collector leaves it alone.
registration.make_all()
for name in (
    *("config.urls", "config.celery"),
    *("wikipedia.articles.reader", "wikipedia.articles.cells", "wikipedia.providers.zim"),
):
    import_module(name)
_show_sign_in()
gc.collect()
gc.freeze()
