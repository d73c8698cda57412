from django.apps import AppConfig

from annotation import registration


class QampariConfig(AppConfig):
    name = "qampari"
    verbose_name = "QAMPARI"

    def ready(self) -> None:
        """Register the stages, the formats of its files and what it adds to annotation."""
        registration.STAGES.add(_register_stages)
        registration.PROTOCOLS.add(_register_formats)
        registration.EXTENSIONS.add(_register_extension)


def _register_stages() -> None:
    from annotation.stages.registry import register
    from qampari.stages.check import Checking
    from qampari.stages.extend import ExtendStage
    from qampari.stages.paraphrase import Paraphrasing
    from qampari.stages.team import TeamChecking
    from qampari.stages.verify import Verifying

    for stage in (Checking(), TeamChecking(), Paraphrasing(), Verifying(), ExtendStage()):
        register(stage)


def _register_formats() -> None:
    from annotation.imports.formats import register_format
    from qampari.formats import OFFICIAL, READERS

    register_format(OFFICIAL)
    register_format(READERS)


def _register_extension() -> None:
    from annotation.extensions.registry import register
    from qampari.extension import EXTENSION

    register(EXTENSION)
