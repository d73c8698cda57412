from django.apps import AppConfig


class ModelingConfig(AppConfig):
    name = "modeling"
    verbose_name = "Models"

    def ready(self) -> None:
        """Register what this app adds to annotation."""
        from annotation.extensions.registry import register
        from modeling import answering, queries  # noqa: F401 - its reader and figures register
        from modeling.extension import EXTENSION

        register(EXTENSION)
