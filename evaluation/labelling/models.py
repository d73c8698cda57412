"""Schemes of a team, samples, their items, and what each person said of them."""

from typing import cast

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.urls import reverse

from annotation.models import Project, Question
from evaluation.labelling.schemes import (
    AMBIGUITY,
    BUILT_IN,
    OWN,
    Category,
    Kind,
    Scheme,
    find_scheme,
    known_categories,
)
from evaluation.systems.models import System

MOST_LABELLERS = 3
MOST_SEED = 2**53  # the largest number that JSON and every language read exactly


class LabelScheme(models.Model):
    """A scheme that the team defined. It never changes, so labels keep their meaning.

    categories: objects with `key`, `label` and `hint`, in their order.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="label_schemes")
    title = models.CharField(max_length=80)
    kind = models.CharField(max_length=10)
    several = models.BooleanField(default=False)
    spans = models.BooleanField(default=False)
    categories = models.JSONField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["title", "id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "title"], name="label_scheme_titled_once"),
            models.CheckConstraint(condition=~Q(title=""), name="label_scheme_titled"),
            models.CheckConstraint(
                condition=Q(kind__in=["accepted", "prediction", "mismatch", "long"]),
                name="label_scheme_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(spans=False) | Q(kind="long", several=True),
                name="label_scheme_spans_in_long_answers",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def scheme(self) -> Scheme:
        """The scheme as a value."""
        return Scheme(
            key=OWN,
            title=self.title,
            asked="What fits?" if not self.several else "What fits? Choose all that apply.",
            kind=cast(Kind, self.kind),
            categories=tuple(Category(**row) for row in self.categories),
            several=self.several,
            spans=self.spans,
            own=self.pk,
        )


class LabelSample(models.Model):
    """Items drawn to be labelled by a scheme, each by as many people.

    own: the team's scheme, if it is one; system: whose answers the items are; seed: of the order in
    which questions are drawn, 0 for the one that Ambit had before there were seeds.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="label_samples")
    scheme_key = models.CharField(max_length=20)
    own = models.ForeignKey(
        LabelScheme, null=True, on_delete=models.RESTRICT, related_name="samples"
    )
    system = models.ForeignKey(
        System, null=True, on_delete=models.CASCADE, related_name="label_samples"
    )
    labellers = models.PositiveSmallIntegerField()
    seed = models.BigIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["project", "id"]
        constraints = [
            models.UniqueConstraint(
                F("project"),
                F("scheme_key"),
                Coalesce(F("own"), 0),
                Coalesce(F("system"), 0),
                name="label_sample_once",
            ),
            models.CheckConstraint(
                condition=Q(scheme_key__in=[*(scheme.key for scheme in BUILT_IN), OWN]),
                name="label_sample_scheme_known",
            ),
            models.CheckConstraint(
                condition=Q(scheme_key=OWN, own__isnull=False)
                | (~Q(scheme_key=OWN) & Q(own__isnull=True)),
                name="label_sample_own_scheme",
            ),
            models.CheckConstraint(
                condition=Q(labellers__range=(1, 3)), name="label_sample_one_to_three_people"
            ),
            models.CheckConstraint(
                condition=Q(seed__range=(0, MOST_SEED)), name="label_sample_seed_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scheme.title}, {self.system}" if self.system else self.scheme.title

    def get_absolute_url(self) -> str:
        """Return the address of its page."""
        if self.scheme_key == AMBIGUITY:
            return reverse("ambiguity-sample", args=[self.project.slug])
        return reverse("label-sample", args=[self.project.slug, self.pk])

    @property
    def scheme(self) -> Scheme:
        """How its items are labelled."""
        found = self.own.scheme if self.own else find_scheme(self.scheme_key)
        assert found is not None  # label_sample_scheme_known
        return found


class SampledItem(models.Model):
    """A question of a sample. position: in the order in which it was drawn, from 1."""

    sample = models.ForeignKey(LabelSample, on_delete=models.CASCADE, related_name="items")
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="label_items")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["sample", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["sample", "position"], name="sampled_item_position_once"
            ),
            models.UniqueConstraint(
                fields=["sample", "question"], name="sampled_item_question_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position}: {self.question}"

    def get_absolute_url(self) -> str:
        """Return the address of its page."""
        slug = self.sample.project.slug
        if self.sample.scheme_key == AMBIGUITY:
            return reverse("ambiguity-label", args=[slug, self.position])
        return reverse("label-item", args=[slug, self.sample_id, self.position])


class Labelling(models.Model):
    """What one person said of an item (A75, A77, A78, S50).

    place: which of the item's labellers it is, from 1; 0 is the decision between labels that
    differ. scheme_key: that of the sample, so that the database knows which categories there are.
    spans: `spans.Span` as objects, in the order of the text.
    """

    item = models.ForeignKey(SampledItem, on_delete=models.CASCADE, related_name="labellings")
    place = models.PositiveSmallIntegerField()
    labeller = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    scheme_key = models.CharField(max_length=20)
    categories = ArrayField(models.CharField(max_length=20))
    spans = models.JSONField(default=list, blank=True)
    labelled_at = models.DateTimeField()

    class Meta:
        ordering = ["item", "place"]
        constraints = [
            models.UniqueConstraint(fields=["item", "place"], name="labelling_place_once"),
            models.UniqueConstraint(
                fields=["item", "labeller"],
                condition=Q(place__gt=0),
                name="labelling_once_per_person",
            ),
            models.CheckConstraint(
                condition=Q(place__range=(0, MOST_LABELLERS)), name="labelling_place_in_range"
            ),
            models.CheckConstraint(
                condition=Q(scheme_key=OWN)
                | Q(
                    *(
                        Q(scheme_key=key, categories__contained_by=names)
                        for key, names in known_categories().items()
                    ),
                    _connector=Q.OR,
                ),
                name="labelling_categories_known",
            ),
            models.CheckConstraint(condition=~Q(categories=[]), name="labelling_chooses"),
            models.CheckConstraint(
                condition=(~Q(categories__contains=["other"]) | Q(categories=["other"]))
                & (~Q(categories__contains=["none"]) | Q(categories=["none"])),
                name="labelling_none_of_these_alone",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item}: {', '.join(self.categories)}"


class LabelReader(models.Model):
    """That an expert has read a question as an item, and so what is accepted for it.

    They get no other work on the question.
    """

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="label_readers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    read_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "user"], name="label_reader_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.question}"
