from django.apps import AppConfig

from annotation import registration


class CrowdsConfig(AppConfig):
    name = "crowds"
    verbose_name = "Crowds"

    def ready(self) -> None:
        """Register what this app adds to annotation."""
        registration.EXTENSIONS.add(_register_extension)


def _register_extension() -> None:
    from annotation.extensions.registry import register
    from crowds.extension import EXTENSION

    register(EXTENSION)
