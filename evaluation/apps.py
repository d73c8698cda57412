from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    verbose_name = "Evaluation"

    def ready(self) -> None:
        """Register the stages and tabs of this app."""
        from annotation import tabs
        from annotation.protocols import Feature
        from annotation.stages import register
        from evaluation.stages import Accuracy, Comparison

        register(Accuracy())
        register(Comparison())
        tabs.register(
            tabs.Tab("studies", "Studies", "study-list", "quality", needs=Feature.STUDIES),
            before="people",
        )
