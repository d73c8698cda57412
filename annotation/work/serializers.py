"""What the API shows of work in hand, and what it takes."""

from typing import Any

from rest_framework import serializers

from accounts.pseudonyms import question_code
from annotation.core.models.questions import Split
from annotation.core.models.work import Assignment


class CodeField(serializers.CharField):
    """A question by its code."""

    def to_representation(self, value: Any) -> str:
        return question_code(value)


class AskedSerializer(serializers.Serializer[Any]):
    """The question of an assignment. `id` is a code, the same wherever you meet the question; the
    team knows it by the id that it was imported with."""

    id = serializers.CharField()
    prompt = serializers.CharField()
    split = serializers.ChoiceField(choices=Split.choices)


class FindingSerializer(serializers.Serializer[Any]):
    """What a rule found: an error stops, a warning asks.

    To keep what a warning asks about, put rule, field and your reason into `keeps` of the response.
    """

    rule = serializers.CharField()
    level = serializers.ChoiceField(choices=["error", "warning"])
    field = serializers.CharField()
    sentence = serializers.CharField()
    kept_because = serializers.CharField(allow_blank=True)


class WorkSerializer(serializers.Serializer[Any]):
    """One person's turn at one task.

    `given` is what the stage shows besides the prompt, and `findings` what its rules find; both
    only while the work is active. `response` has the shape that `draft` and `submit` take back.
    `version` counts the saved drafts. `step` is the key of the step in hand where the stage asks
    for one thing after the other, `follows` whether another one comes after it, `can_go_back`
    whether one may go back to the one before, and `dropped` says which answers of a later step no
    longer fitted. `changing_until` is until when you can submit a change of what you submitted; it
    is null where you change nothing. `response` and `version` are then those of the change.
    """

    id = serializers.IntegerField()
    project = serializers.CharField()
    stage = serializers.CharField()
    step = serializers.CharField(allow_blank=True)
    follows = serializers.BooleanField()
    can_go_back = serializers.BooleanField()
    dropped = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=Assignment.State.choices)
    question = AskedSerializer()
    given = serializers.DictField(allow_null=True)
    response = serializers.DictField()
    version = serializers.IntegerField()
    findings = FindingSerializer(many=True)
    can_submit = serializers.BooleanField()
    active_seconds = serializers.IntegerField()
    lease_ends_at = serializers.DateTimeField(allow_null=True)
    submitted_at = serializers.DateTimeField(allow_null=True)
    changing_until = serializers.DateTimeField(allow_null=True)
    guideline_version = serializers.IntegerField()
    newest_guideline_version = serializers.IntegerField()


class ResponseSerializer(serializers.Serializer[Any]):
    """The whole response, and the `version` of the work it was made from."""

    version = serializers.IntegerField(min_value=0, max_value=2**31 - 1)
    response = serializers.DictField()


class StepResponseSerializer(ResponseSerializer):
    """The same, and the `step` that it finishes: the one that the work says is in hand.

    With `back` it goes back to the step before instead, and keeps what was typed in this one.
    """

    step = serializers.CharField(max_length=40)
    back = serializers.BooleanField(default=False)


class ParkSerializer(serializers.Serializer[Any]):
    """What the person is waiting for."""

    reason = serializers.CharField(max_length=500)


class SkipSerializer(serializers.Serializer[Any]):
    """Why the person gives the question up."""

    reason = serializers.ChoiceField(choices=Assignment.SkipReason.choices)
    feedback = serializers.CharField(max_length=5000, required=False, allow_blank=True, default="")


class StillToDoSerializer(serializers.Serializer[Any]):
    """Why the response was not taken; it is saved as the draft."""

    detail = serializers.CharField()
    findings = FindingSerializer(many=True)
    version = serializers.IntegerField()


class SavedElsewhereSerializer(serializers.Serializer[Any]):
    """Why nothing was changed.

    If the draft was saved elsewhere in the meantime, `response` is that draft and `version` its
    version: merge yours into it and send the result with that version.
    """

    detail = serializers.CharField()
    version = serializers.IntegerField(required=False)
    response = serializers.DictField(required=False)
