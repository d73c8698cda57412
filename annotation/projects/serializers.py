"""Projects as the API shows them."""

from typing import Any

from rest_framework import serializers

from annotation.core.models.projects import Project, StagePolicy


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
            "pay_pair",
            "pay_pairs_max",
            "pay_match",
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
