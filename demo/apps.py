from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "demo"
    verbose_name = "Demo"

    def ready(self) -> None:
        """Register what this app adds to annotation."""
        from annotation.extensions.registry import register
        from demo.tour import EXTENSION

        register(EXTENSION)
