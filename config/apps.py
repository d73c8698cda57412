from django.apps import AppConfig

from config import words


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Installation"

    def ready(self) -> None:
        from config import protocols

        words.speak()
        protocols.register()
