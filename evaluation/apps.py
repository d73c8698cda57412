from django.apps import AppConfig

from annotation import registration


class EvaluationConfig(AppConfig):
    name = "evaluation"
    verbose_name = "Evaluation"

    def ready(self) -> None:
        """Register the stages of this app, and what it adds to annotation."""
        registration.STAGES.add(_register_stages)
        registration.EXTENSIONS.add(_register_extension)


def _register_stages() -> None:
    from annotation.stages.registry import register
    from evaluation.judging.expert import ExpertJudging
    from evaluation.judging.stages import Accuracy, Comparison

    register(Accuracy())
    register(Comparison())
    register(ExpertJudging())


def _register_extension() -> None:
    from annotation.extensions.registry import register
    from evaluation.extension import EXTENSION

    register(EXTENSION)
