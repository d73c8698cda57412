from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    verbose_name = "Evaluation"

    def ready(self) -> None:
        """Register the stages of this app."""
        from annotation.stages import register
        from evaluation.stages import Accuracy, Comparison

        register(Accuracy())
        register(Comparison())
