from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Register the stages this floor brings, and who of it reads the list of snapshots."""
        from annotation.policies import allowed
        from annotation.policies.projects import check_can_create_project
        from annotation.services.finished_long_answers import FinishedLongAnswers
        from annotation.services.pay import register_credit
        from annotation.stages import generation, long_answers, register
        from annotation.stages.finished import register_finisher
        from wikipedia.access import register_readers

        register_readers(lambda user: allowed(check_can_create_project, user))
        register(generation.Generation())
        register(long_answers.LongAnswering())
        register_credit(long_answers.LongAnswering.protocol, long_answers.credited)
        register_finisher(long_answers.LongAnswering.protocol, FinishedLongAnswers())
