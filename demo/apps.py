from django.apps import AppConfig

from annotation import registration


class DemoConfig(AppConfig):
    name = "demo"
    verbose_name = "Demo"

    def ready(self) -> None:
        """Register what this app adds to annotation."""
        registration.EXTENSIONS.add(_register_extension)


def _register_extension() -> None:
    from annotation.extensions.registry import register
    from demo.tour import EXTENSION

    register(EXTENSION)
