"""All models of this app in the Django admin, read-only (see annotation.admin)."""

from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest

from annotation.admin import ReadOnlyAdmin, build_inline, register_read_only
from evaluation import models

register_read_only(
    models.System,
    "id project name version kind created_at",
    filters="project kind",
    search="name version",
)


def _without_details(self: ReadOnlyAdmin, request: HttpRequest) -> QuerySet[models.Output]:
    """Return outputs without what is only scored, which can be a hundred thousand characters."""
    return ReadOnlyAdmin.get_queryset(self, request).defer("details")


register_read_only(
    models.Output,
    "id system question author",
    search="system__name question__external_id text",
    get_queryset=_without_details,
)
register_read_only(
    models.ReaderAnswers,
    "id output reader read_at",
    filters="reader",
    search="=output__id",
    related=("output__system", "output__question"),
)
register_read_only(
    models.Study,
    "id project title state split pairing raters created_at",
    filters="project state pairing",
    search="title",
    inlines=[build_inline(models.Item, "position question first second swapped repeats")],
)
register_read_only(
    models.DeletedDraft,
    "id project number title deleted_by deleted_at",
    filters="project",
    search="title",
)
register_read_only(
    models.Item,
    "id study position question first second swapped repeats",
    search="=study__id question__external_id",
)
register_read_only(
    models.Judgment,
    "id item judge judge_name swapped created_at",
    search="=item__study__id judge__email judge_name",
)
register_read_only(
    models.Consensus, "id item verdict made_by created_at", filters="verdict", search="=item__id"
)
register_read_only(
    models.LabelScheme,
    "id project title kind several spans made_by created_at",
    filters="project kind",
    search="title",
)
register_read_only(
    models.LabelSample,
    "id project scheme_key own system labellers seed created_at",
    filters="project scheme_key",
    search="own__title system__name",
)
register_read_only(
    models.SampledItem,
    "id sample position question",
    filters="sample__scheme_key",
    search="question__external_id",
    related=("sample__own", "sample__system", "question"),
)


def _told_to_all(self: ReadOnlyAdmin, request: HttpRequest) -> QuerySet[models.Labelling]:
    """Return labels of items that all have labelled; others stay unseen until then."""
    last = models.Labelling.objects.filter(
        item=OuterRef("item"), place=OuterRef("item__sample__labellers")
    )
    rows: QuerySet[models.Labelling] = ReadOnlyAdmin.get_queryset(self, request)
    return rows.filter(Exists(last))


register_read_only(
    models.Labelling,
    "id item place categories labeller labelled_at",
    filters="scheme_key",
    search="item__question__external_id",
    related=("item__question", "labeller"),
    get_queryset=_told_to_all,
)
register_read_only(models.LabelReader, "id question user read_at", search="question__external_id")

# --- public pages --------------------------------------------------------------------------------

register_read_only(
    models.Benchmark,
    "id project title is_open layout released_at",
    filters="is_open",
    search="title",
)
register_read_only(
    models.ReleasedQuestion,
    "id benchmark position external_id split",
    filters="split",
    search="=benchmark__id external_id",
)
register_read_only(models.BenchmarkTeam, "id benchmark name created_at", search="name")
register_read_only(
    models.TeamSeat,
    "id team user invited_at joined_at ended_at",
    search="team__name =user__email",
    related=("team", "user"),
)


def _without_measures(self: ReadOnlyAdmin, request: HttpRequest) -> QuerySet[models.BenchmarkEntry]:
    """Return entries without what single questions scored."""
    return ReadOnlyAdmin.get_queryset(self, request).defer("measures")


register_read_only(
    models.BenchmarkEntry,
    "id team name state shown sent_at withdrawn_at",
    filters="state shown",
    search="team__name name",
    exclude=("measures",),
    get_queryset=_without_measures,
)
