from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Register this floor's stages and rooms, and who may see snapshots."""
        from annotation.access.projects import check_can_create_project, works_with
        from annotation.core.refusals import is_allowed
        from annotation.extension import EXTENSION
        from annotation.extensions.registry import register as register_extension
        from annotation.generation import stage as generation
        from annotation.long_answers import stage as long_answers
        from annotation.stages.registry import register
        from wikipedia.snapshots.access import register_readers, register_viewers

        register_readers(lambda user: is_allowed(check_can_create_project, user))
        register_viewers(works_with)
        register(generation.Generation())
        register(long_answers.LongAnswering())
        register_extension(EXTENSION)
