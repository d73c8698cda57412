from django.apps import AppConfig


class QampariConfig(AppConfig):
    name = "qampari"
    verbose_name = "QAMPARI"

    def ready(self) -> None:
        """Register the formats of its files and the stages."""
        from annotation.extensions.registry import register as register_extension
        from annotation.stages.registry import register
        from qampari import formats
        from qampari.extension import EXTENSION
        from qampari.stages.check import Checking
        from qampari.stages.extend import ExtendStage
        from qampari.stages.paraphrase import Paraphrasing
        from qampari.stages.team import TeamChecking
        from qampari.stages.verify import Verifying

        formats.register()
        for stage in (Checking(), TeamChecking(), Paraphrasing(), Verifying(), ExtendStage()):
            register(stage)
        register_extension(EXTENSION)
