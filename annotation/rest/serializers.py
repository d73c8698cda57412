"""What the API shows and reads."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.pseudonyms import pseudonym, question_code
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Question, Split
from annotation.core.models.work import Assignment
from annotation.imports.adapters import annotated_formats
from annotation.imports.formats import FORMATS
from annotation.uploads.requests import too_large


class PolicySerializer(serializers.ModelSerializer[StagePolicy]):
    """What one stage asks for on one split."""

    class Meta:
        model = StagePolicy
        fields = [
            "stage",
            "split",
            "people",
            "lease_minutes",
            "minimum_seconds",
            "pay",
            "currency",
        ]


class ProjectSerializer(serializers.ModelSerializer[Project]):
    """A study."""

    snapshot = serializers.SlugRelatedField[Any](slug_field="name", read_only=True)
    policies = PolicySerializer(many=True, read_only=True)

    class Meta:
        model = Project
        fields = [
            "slug",
            "title",
            "protocol",
            "state",
            "snapshot",
            "reference_date",
            "created_at",
            "policies",
        ]


class QuestionSerializer(serializers.ModelSerializer[Question]):
    """A prompt question. `question` is as imported, `prompt` as people read it."""

    id = serializers.CharField(source="external_id", read_only=True)
    question = serializers.CharField(source="text", read_only=True)
    prompt = serializers.CharField(read_only=True)
    known_answers = serializers.ListField(child=serializers.CharField(), read_only=True)

    class Meta:
        model = Question
        fields = ["id", "question", "prompt", "split", "state", "known_answers", "created_at"]


class AssignmentSerializer(serializers.ModelSerializer[Assignment]):
    """One person's turn at one task, under the person's pseudonym in this project.

    `question` is the id that it was imported with for the team, and its code for other people, as
    their work has it. Not `used`: paid, but left out of the data.
    """

    question = serializers.SerializerMethodField()
    split = serializers.ChoiceField(
        source="task.question.split", choices=Split.choices, read_only=True
    )
    person = serializers.SerializerMethodField()
    used = serializers.SerializerMethodField()

    class Meta:
        model = Assignment
        fields = [
            "id",
            "question",
            "split",
            "stage",
            "person",
            "state",
            "started_at",
            "lease_ends_at",
            "submitted_at",
            "ended_at",
            "active_seconds",
            "guideline_version",
            "skip_reason",
            "used",
        ]

    @extend_schema_field(serializers.CharField)
    def get_question(self, assignment: Assignment) -> str:
        """Return the name of the question for who asks."""
        question = assignment.task.question
        return question.external_id if self.context.get("staff") else question_code(question.pk)

    @extend_schema_field(serializers.BooleanField)
    def get_used(self, assignment: Assignment) -> bool:
        """Return whether it is data; a gold item of one's own looks as if it were."""
        return assignment.used or (assignment.gold and not self.context.get("staff"))

    @extend_schema_field(serializers.CharField)
    def get_person(self, assignment: Assignment) -> str:
        """Return the person's pseudonym."""
        return pseudonym(assignment.user, scope=assignment.project.slug)


class LineErrorSerializer(serializers.Serializer[Any]):
    """A line that was not taken."""

    line = serializers.IntegerField()
    reason = serializers.CharField()


class ImportResultSerializer(serializers.Serializer[Any]):
    """What an import did; `errors` holds the first 1,000."""

    created = serializers.IntegerField()
    updated = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    rejected = serializers.IntegerField()
    left_out = serializers.DictField(
        child=serializers.IntegerField(),
        required=False,
        help_text="AmbigNQ in an ASQA project: number of records left out, by reason.",
    )
    errors = LineErrorSerializer(many=True)  # type: ignore[assignment]
    system_id = serializers.IntegerField(
        required=False, help_text="Answers: the system that they are of."
    )
    study_id = serializers.IntegerField(
        required=False, help_text="Judgments: the study that they are in."
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


class TrueOrFalse(serializers.BooleanField):
    """A switch in a form: the words true and false, nothing that may be meant otherwise."""

    TRUE_VALUES = {True, "true", "True"}
    FALSE_VALUES = {False, "false", "False"}
    NULL_VALUES = set()


class ImportSerializer(serializers.Serializer[Any]):
    """A file of questions to import."""

    file = serializers.FileField(
        max_length=255, error_messages={"empty": "The file is empty."}, help_text="The file itself."
    )
    format = serializers.ChoiceField(choices=[(key, value.label) for key, value in FORMATS.items()])
    split = serializers.ChoiceField(
        choices=Split.choices,
        required=False,
        help_text="Split of the records that name none. Only `asqa` works without it.",
    )
    strict = TrueOrFalse(default=False, help_text="Import nothing if any line is rejected.")
    finished = TrueOrFalse(
        default=False,
        help_text="Import the annotations of an AmbigNQ or ASQA file as accepted work.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse to take annotations from a format that holds none; ask for a split."""
        format = FORMATS[attrs["format"]]
        holds = [each.key for each in annotated_formats(self.context["project"])]
        if attrs["finished"] and format.key not in holds:
            raise serializers.ValidationError(
                {"finished": f"Only the format {holds[0]} holds annotations."}
                if holds
                else {"finished": "No format holds annotations for this project."}
            )
        if attrs.setdefault("split", None) is None and not format.parse_entry:
            raise serializers.ValidationError(
                {
                    "split": f"Records of {format.key} may name no split. Give the split they go "
                    f"into."
                }
            )
        return attrs

    def validate_file(self, file: Any) -> Any:
        """Refuse a file over IMPORT_MAX_BYTES."""
        if file.size > settings.IMPORT_MAX_BYTES:
            raise serializers.ValidationError(too_large(file.size))
        return file


class RefusalSerializer(serializers.Serializer[Any]):
    """Why something cannot be done, as a sentence."""

    detail = serializers.CharField()


class PagesReadSeriesSerializer(serializers.Serializer[Any]):
    """A number of unique pages, and how many submissions read that number."""

    as_counted = serializers.DictField(child=serializers.IntegerField())
    all = serializers.DictField(child=serializers.IntegerField())


class PagesReadSerializer(serializers.Serializer[Any]):
    """The figure of pages read, per annotation and per question."""

    per_annotation = PagesReadSeriesSerializer()
    per_question = PagesReadSeriesSerializer()
    counted_at = serializers.DateTimeField(allow_null=True)
