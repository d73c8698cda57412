from django.apps import AppConfig


class ModelingConfig(AppConfig):
    name = "modeling"
    verbose_name = "Models"

    def ready(self) -> None:
        """Register what this app adds to annotation."""
        from annotation.extensions.extension import combine_extensions
        from annotation.extensions.registry import register
        from modeling import answering, queries  # noqa: F401 - its reader and figures register
        from modeling.extension import EXTENSION
        from modeling.judges.extension import EXTENSION as JUDGES

        register(combine_extensions("modeling", [EXTENSION, JUDGES]))
