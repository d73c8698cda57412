from django.apps import AppConfig


class CrowdsConfig(AppConfig):
    name = "crowds"
    verbose_name = "Crowds"

    def ready(self) -> None:
        """Register what the engine asks of participants, and the tab of a project."""
        from annotation.core import hooks
        from annotation.erasing.services import on_erasing
        from annotation.pages import tabs
        from crowds.policies.participations import DEMAND
        from crowds.services.reviews import forget

        on_erasing(forget)
        hooks.before_taking(DEMAND)
        tabs.register(
            tabs.Tab("participants", "Participants", "recruitment-list", "people"),
            before="qualifications",
        )
