"""The API keeps its own schema: requests made up from it get answers that it announces."""

import functools

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from knox.models import AuthToken
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from annotation.services import jobs
from tests import factories
from tests.annotation.data.submissions import submit

pytestmark = pytest.mark.django_db
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
    ignored_auth,
]


@functools.cache
def handler():
    return get_wsgi_application()


def application(environ, start_response):
    """Ambit's WSGI application, made when the first test (not the collection) needs it."""
    return handler()(environ, start_response)


schema = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(request=None, public=True))
schema.app = application
schema.location = "/api/v1/schema/"


@pytest.fixture
def authorization(project, rosa, ann, monkeypatch):
    """A researcher's token for a project with some work in it."""
    monkeypatch.setattr(jobs, "wake", lambda job_id: None)
    submit(factories.make_question(project), ann, pairs=[("", ["1843"])])
    _, token = AuthToken.objects.create(rosa)
    # As Django's own test client does: these would close the connection of the test's transaction.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield {"Authorization": f"Token {token}"}
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@schema.parametrize()
@settings(
    max_examples=30,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_answers_are_as_announced(case, project, authorization):
    """Half of the requests are of the project that is there, half of any."""
    if "slug" in case.path_parameters and len(case.path_parameters["slug"]) % 2:
        case.path_parameters["slug"] = project.slug
    case.call_and_validate(headers=authorization, checks=CHECKS)
