"""Jobs as the API shows them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.core.models.jobs import Job


class LineErrorSerializer(serializers.Serializer[Any]):
    """A line that was not taken, or, of a run of a baseline, a question without an answer."""

    line = serializers.IntegerField(required=False)
    name = serializers.CharField(required=False, help_text="The id of the question.")
    reason = serializers.CharField()


class LineRepeatSerializer(serializers.Serializer[Any]):
    """A line whose question was on another one before."""

    line = serializers.IntegerField()
    first = serializers.IntegerField()


class EqualLineSerializer(serializers.Serializer[Any]):
    """A line with a new question that has the words of another one."""

    line = serializers.IntegerField()
    id = serializers.CharField(help_text="The id of the other question.")


class ImportResultSerializer(serializers.Serializer[Any]):
    """What an import did, or a run of a baseline; `errors` holds the first 1,000, or 100."""

    created = serializers.IntegerField(required=False)
    updated = serializers.IntegerField(required=False)
    changed = serializers.IntegerField(required=False, help_text="Answers with another text.")
    unchanged = serializers.IntegerField(required=False)
    rejected = serializers.IntegerField(required=False)
    kept = serializers.IntegerField(
        required=False, help_text="Answers that differ and stayed, as a study uses them."
    )
    tokens_in = serializers.IntegerField(required=False, help_text="What a model read.")
    tokens_out = serializers.IntegerField(required=False, help_text="What it wrote.")
    cost = serializers.CharField(
        required=False, help_text="A decimal number; empty where no price is known."
    )
    left_out = serializers.DictField(
        child=serializers.IntegerField(),
        required=False,
        help_text="Number of records left out, by reason.",
    )
    fits = serializers.DictField(
        child=serializers.IntegerField(),
        required=False,
        help_text="Number of questions that fit each of the chosen filters.",
    )
    filtered = LineErrorSerializer(
        many=True, required=False, help_text="Lines that the filters left out, the first 1,000."
    )
    equal = serializers.IntegerField(
        required=False, help_text="New questions with the same words as another one."
    )
    equals = EqualLineSerializer(many=True, required=False)
    not_taken = serializers.DictField(
        child=serializers.IntegerField(),
        required=False,
        help_text="Number of parts of records that were not taken although their questions were, "
        "by reason.",
    )
    parts = LineErrorSerializer(
        many=True, required=False, help_text="Lines of these parts, the first 1,000."
    )
    errors = LineErrorSerializer(many=True, required=False)  # type: ignore[assignment]
    repeated = serializers.IntegerField(
        required=False, help_text="Lines whose question was in the file before; kept once."
    )
    repeats = LineRepeatSerializer(many=True, required=False)
    system_id = serializers.IntegerField(
        required=False, help_text="Answers: the system that they are of."
    )
    study_id = serializers.IntegerField(
        required=False, help_text="Judgments: the study that they are in."
    )
    pairs = serializers.IntegerField(
        required=False, help_text="A set-up file: the pairs that are to be judged."
    )
    again = serializers.BooleanField(
        required=False, help_text="Judgments: whether they were there already."
    )


class JobSerializer(serializers.ModelSerializer[Job]):
    """A background job: queued, running with progress, done, failed with the reason, cancelled."""

    result = serializers.SerializerMethodField()
    log = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        read_only=True,
        help_text="What its workers noted: [time, sentence], the newest last.",
    )

    class Meta:
        model = Job
        fields = [
            "id",
            "kind",
            "state",
            "file_name",
            "done",
            "total",
            "unit",
            "result",
            "log",
            "problem",
            "created_at",
            "started_at",
            "ended_at",
        ]

    @extend_schema_field(ImportResultSerializer(allow_null=True))
    def get_result(self, job: Job) -> dict[str, Any] | None:
        """Return the counts so far, null before the first batch."""
        return job.result or None
