from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Register this floor's stages and hooks, and who may see snapshots."""
        from annotation.access.projects import check_can_create_project, works_with
        from annotation.core import hooks
        from annotation.core.refusals import allowed
        from annotation.generation import stage as generation
        from annotation.golds import services as golds
        from annotation.long_answers import stage as long_answers
        from annotation.pay import services as pay
        from annotation.qualifications.policies import DEMAND
        from annotation.stages.registry import register
        from annotation.webhooks import services as webhooks
        from wikipedia.access import register_readers, register_viewers

        register_readers(lambda user: allowed(check_can_create_project, user))
        register_viewers(works_with)
        register(generation.Generation())
        register(long_answers.LongAnswering())
        hooks.before_taking(DEMAND)
        hooks.on_submitting(pay.terms)
        hooks.after_submitting(golds.judge)
        hooks.on_settling(pay.FOLLOWER)
        hooks.on_settling(webhooks.FOLLOWER)
