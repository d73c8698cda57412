from django.apps import AppConfig

from annotation import registration


class NaturalQuestionsConfig(AppConfig):
    name = "natural_questions"
    verbose_name = "Natural Questions"

    def ready(self) -> None:
        """Register the stage, the files it reads and its figures."""
        registration.STAGES.add(_register_stage)
        registration.PROTOCOLS.add(_register_format)
        registration.EXTENSIONS.add(_register_extension)


def _register_stage() -> None:
    from annotation.stages.registry import register
    from natural_questions.stage import NaturalQuestions

    register(NaturalQuestions())


def _register_format() -> None:
    from annotation.imports.formats import register_format
    from natural_questions.format import FORMAT

    register_format(FORMAT)


def _register_extension() -> None:
    from annotation.extensions.registry import register
    from natural_questions.extension import EXTENSION

    register(EXTENSION)
