"""The API keeps its own schema, for whoever asks: made-up requests get answers that it announces.

Each operation is asked by everybody of tests/world.py. Half of the requests are about rows that are
there, half about any. Nothing a request changes is there for the next one.
"""

import functools

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from knox.models import AuthToken
from rest_framework.throttling import UserRateThrottle
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

from annotation.jobs import services as jobs_services
from annotation.models import Suggestion
from tests import factories
from tests.annotation.exports.submissions import submit
from tests.world import PERSONAS, make_world

pytestmark = pytest.mark.django_db


def no_fault_of_the_server(context, response, case):
    """Refuse what only a fault answers. 503 is not one: the schema says where it may come."""
    return None if response.status_code == 503 else not_a_server_error(context, response, case)


CHECKS = [
    no_fault_of_the_server,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
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


@pytest.fixture(scope="module")
def known(django_db_setup, django_db_blocker):
    """Tokens by persona, and the rows that are there by the name of a path parameter.

    They are made once, in a transaction around those of the tests.
    """
    patch = pytest.MonkeyPatch()
    patch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    patch.setattr(UserRateThrottle, "THROTTLE_RATES", {"user": None})
    # As Django's own test client does: these would close the connection of the transaction.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    with django_db_blocker.unblock(), transaction.atomic():
        yield _known()
        transaction.set_rollback(True)
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
    patch.undo()


def _known():
    world = make_world()
    people = {who: user for who, user in world.people.items() if user}
    writer = factories.make_member(world.project, "annotator")
    submit(factories.make_question(world.project), writer, pairs=[("", ["1843"])])
    suggestion = Suggestion.objects.create(
        question=world.question, system="Reader", version="1", position=0, kind="answer",
        content={"question": "", "answers": ["1869"], "text": "", "title": "", "path": ""},
        created_at=world.now,
    )  # fmt: skip
    world.policy.suggestions = "Reader"
    world.policy.save()
    rows = {
        "slug": world.slug,
        "assignment_id": world.assignment.pk,
        "suggestion_id": suggestion.pk,
        "job_id": world.job.pk,
        "study_id": world.study.pk,
        "system_id": world.system.pk,
        "stage": "generation",
        "report": "agreement",
    }
    return {who: AuthToken.objects.create(user)[1] for who, user in people.items()}, rows


@schema.given(who=st.sampled_from(PERSONAS), there=st.booleans())
@schema.parametrize()
@settings(
    max_examples=45,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_answers_are_as_announced(case, who, there, known):
    tokens, rows = known
    if there:
        case.path_parameters |= {
            name: value for name, value in rows.items() if name in case.path_parameters
        }
    headers = {"Authorization": f"Token {tokens[who]}"} if who in tokens else {}
    # Asks twice more, without a token and with a wrong one: enough for one of them.
    checks = [*CHECKS, ignored_auth] if who == "researcher" else CHECKS
    with transaction.atomic():
        case.call_and_validate(headers=headers, checks=checks)
        transaction.set_rollback(True)
