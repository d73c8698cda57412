from django.apps import AppConfig


class ModelingConfig(AppConfig):
    name = "modeling"
    verbose_name = "Models"

    def ready(self) -> None:
        """Register what this app adds to annotation, and its report."""
        from annotation.extensions.registry import register
        from annotation.protocols.registry import Feature
        from evaluation.reports import registry
        from modeling import answering, queries  # noqa: F401 - its reader and figures register
        from modeling.extension import EXTENSION

        register(EXTENSION)
        registry.register(
            "project",
            registry.Entry(
                *("uptake", "Uptake of suggestions", "modeling.report.build_panel", ("split",)),
                needs=Feature.SUGGESTIONS,
            ),
        )
