from django.apps import AppConfig

from annotation import registration


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Register this floor's stages and rooms, and who may see snapshots."""
        from annotation.access.projects import check_can_create_project, works_with
        from annotation.core.refusals import is_allowed
        from wikipedia.snapshots.access import register_readers, register_viewers

        register_readers(lambda user: is_allowed(check_can_create_project, user))
        register_viewers(works_with)
        registration.STAGES.add(_register_stages)
        registration.EXTENSIONS.add(_register_extension)


def _register_stages() -> None:
    from annotation.generation.stage import Generation
    from annotation.long_answers.stage import LongAnswering
    from annotation.stages.registry import register

    register(Generation())
    register(LongAnswering())


def _register_extension() -> None:
    from annotation.extension import EXTENSION
    from annotation.extensions.registry import register

    register(EXTENSION)
