from django.apps import AppConfig


class NaturalQuestionsConfig(AppConfig):
    name = "natural_questions"
    verbose_name = "Natural Questions"

    def ready(self) -> None:
        """Register the stage, the files it reads and its figures."""
        from annotation.extensions.registry import register as register_extension
        from annotation.imports import formats
        from annotation.stages.registry import register
        from natural_questions.extension import EXTENSION
        from natural_questions.format import FORMAT
        from natural_questions.stage import NaturalQuestions

        register(NaturalQuestions())
        register_extension(EXTENSION)
        formats.register_format(FORMAT)
