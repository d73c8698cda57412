"""Store what became of the submissions on questions that were decided before there were rows.

No pay is posted here: where the stored outcome differs from what was paid, the ledger follows when
the state of the question is next run.
"""

from typing import Any

from django.db import migrations

from annotation.states import DECIDED
from validation.services.outcomes import settle

AT_ONCE = 1000


def store(apps: Any, schema_editor: Any) -> None:
    questions = apps.get_model("annotation", "Question").objects.filter(state__in=DECIDED)
    ids = list(questions.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), AT_ONCE):
        settle(ids[start : start + AT_ONCE])


class Migration(migrations.Migration):
    dependencies = [("validation", "0006_submission_outcomes")]

    operations = [migrations.RunPython(store, migrations.RunPython.noop, elidable=True)]
