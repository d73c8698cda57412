"""What a dry run of an import answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.imports.checks import UploadCheck
from annotation.imports.columns import USES
from annotation.jobs.serializers import (
    EqualLineSerializer,
    LineErrorSerializer,
    LineRepeatSerializer,
)


class FieldUseSerializer(serializers.Serializer[Any]):
    """A column or field of the file, and what becomes of it."""

    name = serializers.CharField()
    use = serializers.ChoiceField(choices=list(USES.items()))


class MappingSerializer(serializers.Serializer[Any]):
    """What the columns become; it can be sent back, changed, as `mapping`."""

    uses = serializers.DictField(child=serializers.CharField())
    separator = serializers.CharField(allow_blank=True)
    splits = serializers.DictField(child=serializers.CharField())


class PreviewLineSerializer(serializers.Serializer[Any]):
    """One of the first records as it would be imported."""

    line = serializers.IntegerField()
    id = serializers.CharField(allow_blank=True)
    question = serializers.CharField(allow_blank=True)
    answers = serializers.ListField(child=serializers.CharField())
    split = serializers.CharField(allow_null=True)
    here = serializers.BooleanField(help_text="Its id is in the project already.")
    problem = serializers.CharField(allow_blank=True)


class LineProblemSerializer(serializers.Serializer[Any]):
    """A line that would not be taken, with its beginning."""

    line = serializers.IntegerField()
    reason = serializers.CharField()
    text = serializers.CharField(allow_blank=True)


class ImportCountsSerializer(serializers.Serializer[Any]):
    """What importing the file would do."""

    created = serializers.IntegerField()
    updated = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    rejected = serializers.IntegerField()
    repeated = serializers.IntegerField(required=False)
    left_out = serializers.DictField(child=serializers.IntegerField(), required=False)
    fits = serializers.DictField(child=serializers.IntegerField(), required=False)
    equal = serializers.IntegerField(required=False)
    not_taken = serializers.DictField(
        child=serializers.IntegerField(),
        required=False,
        help_text="Number of parts of records that are not taken, by reason.",
    )


class ImportCheckSerializer(serializers.Serializer[Any]):
    """What a file is and what importing it would do. Nothing was changed.

    `counts` is null where the file is too large to be read whole while somebody waits; the first
    records are in `preview` all the same.
    """

    format = serializers.CharField(
        source="found.reading.format", help_text="A format, or `mapped` where columns are mapped."
    )
    label = serializers.CharField(  # type: ignore[assignment]
        source="found.reading.label"
    )
    remembered = serializers.BooleanField(
        source="found.remembered", help_text="The columns are mapped as they were last time."
    )
    mapping = MappingSerializer(source="found.reading.mapping", allow_null=True)
    columns = serializers.SerializerMethodField()
    preview = PreviewLineSerializer(many=True)
    records_read = serializers.IntegerField(
        help_text="How many records were read: all, or where `counts` is null the first alone. "
        "The rest is checked while the file is imported, and the job names what it refuses."
    )
    counts = ImportCountsSerializer(allow_null=True)
    problems = serializers.SerializerMethodField()
    repeats = serializers.SerializerMethodField()
    filtered = serializers.SerializerMethodField()
    equals = serializers.SerializerMethodField()
    parts = serializers.SerializerMethodField()
    splits = serializers.DictField(
        source="check.splits",
        child=serializers.IntegerField(),
        default=dict,
        help_text="How many new questions would go into each split.",
    )

    @extend_schema_field(FieldUseSerializer(many=True))
    def get_columns(self, check: UploadCheck) -> list[dict[str, str]]:
        """Return what becomes of each column."""
        return [{"name": name, "use": use} for name, use in check.found.list_fields()]

    @extend_schema_field(LineProblemSerializer(many=True))
    def get_problems(self, check: UploadCheck) -> list[dict[str, Any]]:
        """Return the first 1,000 lines that would not be taken."""
        errors = check.check.tally.errors if check.check else []
        return [{"text": "", **error} for error in errors]

    @extend_schema_field(LineRepeatSerializer(many=True))
    def get_repeats(self, check: UploadCheck) -> list[dict[str, int]]:
        """Return the first 1,000 lines whose question was in the file before."""
        return check.check.tally.repeats if check.check else []

    @extend_schema_field(LineErrorSerializer(many=True))
    def get_filtered(self, check: UploadCheck) -> list[dict[str, Any]]:
        """Return the first 1,000 lines that the filters would leave out."""
        return check.check.tally.filtered if check.check else []

    @extend_schema_field(EqualLineSerializer(many=True))
    def get_equals(self, check: UploadCheck) -> list[dict[str, Any]]:
        """Return the first 1,000 new questions with the words of another one."""
        return check.check.tally.equals if check.check else []

    @extend_schema_field(LineErrorSerializer(many=True))
    def get_parts(self, check: UploadCheck) -> list[dict[str, Any]]:
        """Return the first 1,000 lines of which parts are not taken."""
        return check.check.tally.parts if check.check else []
