"""What an address of the API answers where it refuses, and the parameters that several share."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from annotation.core.models.questions import Split


class RefusalSerializer(serializers.Serializer[Any]):
    """Why something cannot be done, as a sentence."""

    detail = serializers.CharField()


REFUSED = OpenApiResponse(RefusalSerializer, "Forbidden; see `detail`.")
ABSENT = OpenApiResponse(RefusalSerializer, "Not found, or you do not have access to it.")
CLASH = OpenApiResponse(RefusalSerializer, "Conflict; see `detail`.")
SPLIT = OpenApiParameter("split", str, enum=Split.values, description="Only this split.")
ABSENT_WORK = OpenApiResponse(RefusalSerializer, "There is no such work of yours.")
MOVED_ON = OpenApiResponse(RefusalSerializer, "It no longer fits; see `detail`. Nothing changed.")
