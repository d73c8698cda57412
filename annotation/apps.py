from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Register the stages this floor brings."""
        from annotation.stages import generation, register

        register(generation.Generation())
