"""What Django's pages for developers (DEBUG=True) show of the settings."""

import re

from django.views.debug import SafeExceptionReporterFilter


class NoAddresses(SafeExceptionReporterFilter):
    """Hides addresses, too, in which there are passwords: of the database, Redis, mail, Sentry."""

    hidden_settings = re.compile(
        f"{SafeExceptionReporterFilter.hidden_settings.pattern}|URL|DSN|LOCATION", re.IGNORECASE
    )
