"""manage.py load_demo"""

from typing import Any

from django.core.management.base import BaseCommand

from config import demo


class Command(BaseCommand):
    help = "Load the demo snapshot, people and project. Running it again changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        demo.load(self.stdout.write)
        self.stdout.write(f"The demo project is loaded. Password of its people: {demo.password()}")
