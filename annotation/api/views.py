"""The answer to addresses of the API that do not exist."""

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


class Nothing(APIView):
    """Any address under /api/v1/ that is not one of these."""

    @extend_schema(exclude=True)
    def handle(self, request: Request) -> Response:
        """Answer 404 to every method."""
        raise NotFound

    get = post = put = patch = delete = handle
