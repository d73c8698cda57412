"""What the people of a project have changed or added of the relations that it asks about (Q9)."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Project

_SUBJECT, _ANSWER = "{subject}", "{answer}"


class MadeRelation(models.Model):
    """A relation as a project words it, in place of the one that comes with Ambit, if any does.

    Relations that nobody has changed have no row, so that they follow the ones of the next version.
    property, type: numbers of Wikidata's ids; type is null where answers may be anything. Texts and
    time as in `making.relations.AskedRelation`: empty until an added relation has a wording.
    included: whether questions are made of it; version: how often it was saved.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    property = models.PositiveIntegerField()
    type = models.PositiveBigIntegerField(null=True)
    noun = models.TextField(blank=True)
    question = models.TextField(blank=True)
    phrase = models.TextField(blank=True)
    statement = models.TextField(blank=True)
    values = models.TextField(blank=True)
    cues = models.JSONField(default=list)
    time = models.CharField(max_length=3, default="any")
    included = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "property", "type"],
                nulls_distinct=False,
                name="made_relation_once",
            ),
            models.CheckConstraint(
                condition=Q(property__gt=0) & (Q(type=None) | Q(type__gt=0)),
                name="made_relation_ids_positive",
            ),
            models.CheckConstraint(
                condition=Q(time__in=["any", "day"]), name="made_relation_time_known"
            ),
            models.CheckConstraint(condition=Q(version__gt=0), name="made_relation_was_saved"),
            models.CheckConstraint(
                condition=Q(
                    included=False, noun="", question="", phrase="", statement="", values=""
                )
                | Q(question__contains=_SUBJECT, phrase__contains=_SUBJECT)
                & Q(statement__contains=_SUBJECT)
                & Q(statement__contains=_ANSWER)
                & ~Q(noun="")
                & ~Q(values=""),
                name="made_relation_has_its_slots",
            ),
        ]

    def __str__(self) -> str:
        return f"P{self.property}" + (f"/Q{self.type}" if self.type else "")
