from django.apps import AppConfig


class ValidationConfig(AppConfig):
    name = "validation"
    verbose_name = "Validation"

    def ready(self) -> None:
        """Register the stages, hooks, panels and tabs of this app."""
        from annotation.core import hooks, outcomes
        from annotation.news import queries as told
        from annotation.pages import panels, tabs
        from annotation.protocols.registry import Feature
        from annotation.stages.registry import register
        from validation.agreement import services as agreement  # noqa: F401 - jobs register
        from validation.audits.values import Auditing
        from validation.decisions import copying as bringing  # noqa: F401
        from validation.decisions.copy_views import bring_panel
        from validation.outcomes import news, status
        from validation.outcomes.services import FOLLOWER
        from validation.release.views import release_panel
        from validation.verdicts.stage import Validating

        register(Validating())
        register(Auditing())
        outcomes.register(status.outcomes, status.tally)
        hooks.on_settling(FOLLOWER, first=True)  # pay reads what it stores
        told.register(news.COUNT, news.results)
        tabs.register(tabs.Tab("claims", "Inbox", "claim-list", "work"), before="concerns")
        tabs.register(
            tabs.Tab("audit", "Audit", "project-audit", "quality", needs=Feature.AUDITS),
            before="people",
        )
        panels.register("validation/_bring.html", bring_panel)
        panels.register("validation/_release.html", release_panel)
