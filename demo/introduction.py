"""What strangers read of a demo where the environment does not say it."""

import os

from django.conf import settings

from demo.people import DOMAIN

SETTINGS = {
    "SITE_NAME": "Ambit’s demo",
    "OPERATOR": "whoever started this demo",
    "CONTACT_EMAIL": f"admin@{DOMAIN}",
    "ETHICS_APPROVAL": "none, as nothing here is research",
}


def introduce_demo() -> None:
    """Let the first page say that this is a demo, for this process and those that it starts.

    What the environment sets stays, also where it is empty.
    """
    for name, words in SETTINGS.items():
        if name not in os.environ:
            os.environ[name] = words
            setattr(settings, name, words)
    settings.PRIVACY_EMAIL = settings.PRIVACY_EMAIL or settings.CONTACT_EMAIL
