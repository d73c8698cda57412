from django.apps import AppConfig

from annotation import registration


class ValidationConfig(AppConfig):
    name = "validation"
    verbose_name = "Validation"

    def ready(self) -> None:
        """Register the stages of this app, and what it adds to annotation."""
        registration.STAGES.add(_register_stages)
        registration.EXTENSIONS.add(_register_extension)


def _register_stages() -> None:
    from annotation.stages.registry import register
    from validation.audits.values import Auditing
    from validation.turns.stage import Validating

    register(Validating())
    register(Auditing())


def _register_extension() -> None:
    from annotation.extensions.registry import register
    from validation.extension import EXTENSION

    register(EXTENSION)
