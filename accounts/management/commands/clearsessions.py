"""manage.py clearsessions"""

from django.contrib.sessions.management.commands import clearsessions


class Command(clearsessions.Command):
    help = (
        "Delete sessions that have ended, which the worker's clock does once a day.\n\n"
        "  manage.py clearsessions"
    )
    requires_system_checks: list[str] = []
