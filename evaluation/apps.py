from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    verbose_name = "Evaluation"

    def ready(self) -> None:
        """Register the stages of this app, and what it adds to annotation."""
        from annotation.extensions.registry import register as register_extension
        from annotation.stages.registry import register
        from evaluation.extension import EXTENSION
        from evaluation.judging.expert import ExpertJudging
        from evaluation.judging.stages import Accuracy, Comparison

        register(Accuracy())
        register(Comparison())
        register(ExpertJudging())
        register_extension(EXTENSION)
