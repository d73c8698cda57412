from django.apps import AppConfig


class ModelingConfig(AppConfig):
    name = "modeling"
    verbose_name = "Models"

    def ready(self) -> None:
        """Register the jobs of this app, and its part of the page of systems."""
        from annotation.pages import panels, tabs
        from annotation.protocols import registry as protocols
        from annotation.protocols.registry import Feature
        from evaluation.reports import registry
        from modeling import answering, queries  # noqa: F401 - its reader and figures register
        from modeling.services import indexing, running  # noqa: F401 - their jobs register

        panels.register(
            "modeling/_run.html",
            lambda project: {"suggests": protocols.of(project).has(Feature.SUGGESTIONS)},
            page="systems",
        )
        registry.register(
            "project",
            registry.Entry(
                *("uptake", "Uptake of suggestions", "modeling.report.panel", ("split",)),
                needs=Feature.SUGGESTIONS,
            ),
        )
        tabs.register(
            tabs.Tab(
                *("suggestions", "Suggestions", "suggestion-report", "quality"),
                needs=Feature.SUGGESTIONS,
            ),
            before="people",
        )
