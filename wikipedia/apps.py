from django.apps import AppConfig


class WikipediaConfig(AppConfig):
    name = "wikipedia"
    verbose_name = "Wikipedia"
