from django.apps import AppConfig


class ModelingConfig(AppConfig):
    name = "modeling"
    verbose_name = "Models"

    def ready(self) -> None:
        """Register the jobs of this app, and its part of the page of systems."""
        from annotation import panels
        from modeling.services import running  # noqa: F401 - its job registers

        panels.register("modeling/_run.html", lambda project: {}, page="systems")
