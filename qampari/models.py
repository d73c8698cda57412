"""Questions with many answers as rows: each candidate answer, and the evidence for it."""

from django.db import models
from django.db.models import F, Q

from annotation.models import Project, Question
from qampari.paraphrase_rows import Paraphrase, Sample
from qampari.relation_rows import MadeRelation
from qampari.review_rows import EvidenceOpinion, QuestionReview, SampledQuestion

__all__ = [
    "Candidate",
    "Evidence",
    "EvidenceOpinion",
    "EvidenceVerdict",
    "ListQuestion",
    "MadeRelation",
    "Paraphrase",
    "QuestionReview",
    "Sample",
    "SampledQuestion",
]


class ListQuestion(models.Model):
    """What is known of a question besides its text.

    kind: a key of `qampari.records.KINDS`; source: what it was made from; seed: of the lots of its
    answers; reserve: it waits to replace a question that drops out; drawn_at: when it left the
    reserve.
    """

    question = models.OneToOneField(
        Question, on_delete=models.CASCADE, related_name="list", primary_key=True
    )
    kind = models.CharField(max_length=12)
    source = models.CharField(max_length=20, blank=True)
    seed = models.BigIntegerField()
    reserve = models.BooleanField(default=False)
    drawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["simple", "intersection", "composition", "other"]),
                name="list_question_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(reserve=False) | Q(drawn_at=None), name="list_question_drawn_once"
            ),
        ]
        indexes = [
            models.Index(
                fields=["question"], condition=Q(reserve=True), name="list_question_in_reserve"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.question}"


class Candidate(models.Model):
    """An answer that a question came with; `position` counts from 0, as in its record.

    forms: every way to write it, its name first; lot: a number from 0 to 1, drawn with the seed of
    the question: staff check a correct answer if its lot is below their share.
    """

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="candidates")
    position = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    forms = models.JSONField()
    lot = models.FloatField()

    class Meta:
        ordering = ["question", "position"]
        constraints = [
            models.UniqueConstraint(fields=["question", "position"], name="candidate_once"),
            models.CheckConstraint(condition=Q(lot__gte=0, lot__lt=1), name="candidate_lot"),
        ]

    def __str__(self) -> str:
        return self.text


class Evidence(models.Model):
    """A proof of a candidate, as its record has it."""

    candidate = models.ForeignKey(Candidate, on_delete=models.CASCADE, related_name="evidence")
    position = models.PositiveIntegerField()
    text = models.TextField()
    url = models.TextField(blank=True)
    pid = models.TextField(blank=True)

    class Meta:
        ordering = ["candidate", "position"]
        constraints = [
            models.UniqueConstraint(fields=["candidate", "position"], name="evidence_once"),
        ]

    def __str__(self) -> str:
        return self.text


class EvidenceVerdict(models.Model):
    """What a judge said of a fact: which sentence of a snapshot shows it best, and how surely.

    wording: of the relation (`making.stored_verdicts.hash_wording`), since it is what the sentence
    has to show; item, value: numbers of Wikidata's ids; path: of the page, "" where no sentence
    names both; start, end, sentence: code points of its text. Kept, so that a run that was killed,
    and every later one, asks the judge once.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    snapshot = models.CharField(max_length=100)
    judge = models.CharField(max_length=60)
    wording = models.CharField(max_length=16)
    item = models.BigIntegerField()
    value = models.BigIntegerField()
    score = models.FloatField()
    sentences = models.PositiveIntegerField(help_text="How many were judged.")
    title = models.TextField(blank=True)
    path = models.TextField(blank=True)
    revision = models.BigIntegerField(null=True)
    url = models.TextField(blank=True)
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)
    sentence = models.PositiveIntegerField(default=0)
    text = models.TextField(blank=True)
    found = models.TextField(blank=True)
    linked = models.BooleanField(default=False)
    of_item = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "snapshot", "judge", "wording", "value", "item"],
                name="evidence_verdict_once",
            ),
            models.CheckConstraint(
                condition=Q(score__gte=0, score__lte=1), name="evidence_verdict_score"
            ),
            models.CheckConstraint(
                condition=Q(path="", score=0, start=0, end=0, sentences=0)
                | Q(~Q(path=""), sentences__gt=0, start__lt=F("end"), sentence__lt=F("end"))
                & Q(sentence__gte=F("start")),
                name="evidence_verdict_has_its_place",
            ),
        ]

    def __str__(self) -> str:
        return f"Q{self.item} – Q{self.value}: {self.score:.2f}"
