from django.apps import AppConfig


class QampariConfig(AppConfig):
    name = "qampari"
    verbose_name = "QAMPARI"

    def ready(self) -> None:
        """Register the formats of its files and the stages."""
        from annotation.core import hooks
        from annotation.log import sentences as log_words
        from annotation.pages import panels
        from annotation.stages.registry import register
        from evaluation.reports import registry
        from qampari import formats, reserve
        from qampari.entries import ENTRIES
        from qampari.stages.check import Checking
        from qampari.stages.extend import Extend
        from qampari.stages.paraphrase import Paraphrasing
        from qampari.stages.team import TeamChecking
        from qampari.stages.verify import Verifying
        from qampari.views import extended_set_panel

        formats.register()
        for stage in (Checking(), TeamChecking(), Paraphrasing(), Verifying(), Extend()):
            register(stage)
        hooks.on_settling(reserve.FOLLOWER)
        registry.register("tables", *ENTRIES)
        registry.register("agreement", registry.every_figure("qampari"))
        panels.register("qampari/_extended_set.html", extended_set_panel)
        log_words.SENTENCES["extended_set_opened"] = (
            "{who} put {opened} questions into [the extended set]."
        )
