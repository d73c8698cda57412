from django.apps import AppConfig


class ValidationConfig(AppConfig):
    name = "validation"
    verbose_name = "Validation"

    def ready(self) -> None:
        """Register what this floor brings: its stage, and who takes finished work."""
        from annotation.stages import register
        from annotation.stages.finished import register_finisher
        from validation.services.finished import FinishedAmbigNQ
        from validation.stage import Validating

        register(Validating())
        register_finisher("ambigqa", FinishedAmbigNQ())
