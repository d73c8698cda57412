from django.apps import AppConfig


class CrowdsConfig(AppConfig):
    name = "crowds"
    verbose_name = "Crowds"

    def ready(self) -> None:
        """Register what this app adds to annotation."""
        from annotation.extensions.registry import register
        from crowds.extension import EXTENSION

        register(EXTENSION)
