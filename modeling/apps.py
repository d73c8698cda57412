from django.apps import AppConfig

from annotation import registration


class ModelingConfig(AppConfig):
    name = "modeling"
    verbose_name = "Models"

    def ready(self) -> None:
        """Register the reader, and what this app adds to annotation."""
        registration.PROTOCOLS.add(_register_reader)
        registration.EXTENSIONS.add(_register_extension)


def _register_reader() -> None:
    from evaluation.scores.reading import register
    from modeling.answering import SQUAD

    register(SQUAD)


def _register_extension() -> None:
    from annotation.extensions.extension import combine_extensions
    from annotation.extensions.registry import register
    from modeling import queries  # noqa: F401 - its figures register
    from modeling.extension import EXTENSION
    from modeling.judges.extension import EXTENSION as JUDGES

    register(combine_extensions("modeling", [EXTENSION, JUDGES]))
