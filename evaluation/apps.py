from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    verbose_name = "Evaluation"

    def ready(self) -> None:
        """Register the stages, tabs and jobs of this app."""
        from annotation.models import Role
        from annotation.pages import tabs
        from annotation.protocols.registry import Feature
        from annotation.stages.registry import register
        from evaluation.imports import services as importing  # noqa: F401 - jobs register
        from evaluation.reports import computing  # noqa: F401 - its job registers
        from evaluation.results import services as results  # noqa: F401
        from evaluation.scores import services as scoring  # noqa: F401
        from evaluation.studies.expert import ExpertJudging
        from evaluation.studies.stages import Accuracy, Comparison

        register(Accuracy())
        register(Comparison())
        register(ExpertJudging())
        tabs.register(
            tabs.Tab("reports", "Reports", "project-reports", "quality"), before="monitoring"
        )
        tabs.register(
            tabs.Tab("studies", "Studies", "study-list", "quality", needs=Feature.STUDIES),
            before="people",
        )
        tabs.register(
            tabs.Tab("consensus", "Consensus", "consensus-list", "quality", role=Role.EXPERT.value),
            before="people",
        )
