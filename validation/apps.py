from django.apps import AppConfig


class ValidationConfig(AppConfig):
    name = "validation"
    verbose_name = "Validation"

    def ready(self) -> None:
        """Register the stages this floor brings."""
        from annotation.stages import register
        from validation.stage import Validating

        register(Validating())
