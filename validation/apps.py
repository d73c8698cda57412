from django.apps import AppConfig


class ValidationConfig(AppConfig):
    name = "validation"
    verbose_name = "Validation"

    def ready(self) -> None:
        """Register the stages of this app, and what it adds to annotation."""
        from annotation.extensions.registry import register as register_extension
        from annotation.stages.registry import register
        from validation.audits.values import Auditing
        from validation.extension import EXTENSION
        from validation.turns.stage import Validating

        register(Validating())
        register(Auditing())
        register_extension(EXTENSION)
