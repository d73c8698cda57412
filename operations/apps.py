from django.apps import AppConfig
from django.conf import settings

from annotation import registration


class OperationsConfig(AppConfig):
    name = "operations"
    verbose_name = "Operations"

    def ready(self) -> None:
        """Report errors from now on, those of the other apps' starts included; add our parts."""
        if settings.SENTRY_DSN:
            # Loaded only where it is wanted: it takes longer than most commands.
            from operations import sentry

            sentry.start_reporting(settings.SENTRY_DSN)
        registration.EXTENSIONS.add(_register_extension)


def _register_extension() -> None:
    from annotation.extensions.registry import register
    from operations.extension import EXTENSION

    register(EXTENSION)
