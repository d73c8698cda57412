"""All models of this app in the Django admin, read-only (see annotation.admin)."""

from annotation.admin import inline, show
from evaluation import models

show(
    models.System,
    "id project name version kind created_at",
    filters="project kind",
    search="name version",
)
show(models.Output, "id system question author", search="system__name question__external_id text")
show(
    models.ReaderAnswers,
    "id output reader read_at",
    filters="reader",
    search="=output__id",
    related=("output__system", "output__question"),
)
show(
    models.Study,
    "id project title state split pairing raters created_at",
    filters="project state pairing",
    search="title",
    inlines=[inline(models.Item, "position question first second swapped repeats")],
)
show(
    models.Item,
    "id study position question first second swapped repeats",
    search="=study__id question__external_id",
)
show(
    models.Judgment,
    "id item judge judge_name swapped created_at",
    search="=item__study__id judge__email judge_name",
)
show(models.Consensus, "id item verdict made_by created_at", filters="verdict", search="=item__id")
show(models.Results, "id study judgments computed_at", search="=study__id")
show(
    models.Ambiguity,
    "id project position question types labelled_by labelled_at",
    filters="project",
    search="question__external_id",
)
