"""Links that Prolific has signed, and the codes that it sorts people by."""

import datetime as dt
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from crowds import prolific
from crowds.models import Participation
from crowds.services import participations
from tests.crowds import factories as crowd

ADDRESS = "https://api.prolific.com/.well-known/study/jwks.json"
IDS = {"PROLIFIC_PID": crowd.PID, "SESSION_ID": crowd.SESSION, "STUDY_ID": crowd.STUDY}
HOUR = dt.timedelta(hours=1)


@pytest.fixture(scope="module")
def key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def public(key, key_id="k1"):
    row = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {key_id: row | {"kid": key_id, "alg": "RS256", "use": "sig"}}


@pytest.fixture
def recruitment(project, settings, key):
    settings.PROLIFIC_KEYS_URL = ADDRESS
    cache.set(prolific.KEYS, public(key))
    cache.set(prolific.ASKED, True, 60)  # no test asks Prolific
    return crowd.make_recruitment(project, tasks=6, platform="prolific", signed=True)


def token(key, key_id="k1", ends=HOUR, ids=IDS, **claims):
    """A signature as Prolific makes it."""
    now = timezone.now()
    usual = {
        "iss": "https://www.prolific.com",
        "aud": "https://testserver/take-part/x/",
        "sub": crowd.SESSION,
        "iat": now - 3 * HOUR,
        "exp": now + ends,
        "prolific": {**ids, "workspace_id": "9" * 24},
    }
    return jwt.encode(usual | claims, key, algorithm="RS256", headers={"kid": key_id})


def test_a_signed_link_lets_in(client, recruitment, key):
    link = crowd.open_link(recruitment, prolific_token=token(key))
    assert client.get(link).status_code == 200
    assert client.post(link, crowd.ANYONE)["Location"] == "/take-part/"
    row = Participation.objects.get()
    assert (row.external_id, row.session) == (crowd.PID, crowd.SESSION)


def test_the_signature_alone_says_who_comes(client, recruitment, key):
    link = crowd.open_link(recruitment, prolific_token=token(key)).split("?")[0]
    client.post(f"{link}?prolific_token={token(key, aud=['testserver'])}", crowd.ANYONE)
    assert Participation.objects.get().external_id == crowd.PID


@pytest.mark.parametrize(
    "change",
    [
        {"prolific_token": ""},
        {"prolific_token": "a.b.c"},
        {"prolific_token": "x" * 5_000},
        {"aud": "https://elsewhere.example/take-part/x/"},
        {"aud": "https://testserver.elsewhere.example/"},
        {"prolific": None},
        {"prolific": {"PROLIFIC_PID": 5}},
        {"ids": IDS | {"PROLIFIC_PID": "0" * 24}},  # the query says another one
        {"key_id": "k2"},
        {"forged": True},
        {"unsigned": True},
        {"other_algorithm": True},
    ],
)
def test_any_other_is_refused(client, recruitment, key, change):
    text = change.pop("prolific_token", None)
    if change.pop("forged", False):
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    if change.pop("unsigned", False):
        text = jwt.encode({"prolific": IDS}, None, algorithm="none", headers={"kid": "k1"})
    if change.pop("other_algorithm", False):
        text = jwt.encode({"prolific": IDS}, "s" * 32, algorithm="HS256", headers={"kid": "k1"})
    if text is None:
        text = token(key, **change)
    link = crowd.open_link(recruitment, prolific_token=text)
    for response in (client.get(link), client.post(link, crowd.ANYONE)):
        assert response.status_code == 400
        assert "signature of this link" in response.content.decode()
    assert not Participation.objects.exists()


def test_reading_the_consent_page_may_take_longer_than_the_signature(client, recruitment, key):
    link = crowd.open_link(recruitment, prolific_token=token(key, ends=-HOUR))
    response = client.get(link)
    assert response.status_code == 410
    assert "again on Prolific" in response.content.decode()
    assert client.post(link, crowd.ANYONE)["Location"] == "/take-part/"
    assert client.get(link)["Location"] == "/take-part/"  # their session knows them
    client.logout()
    assert client.get(link).status_code == 410
    old = crowd.open_link(recruitment, prolific_token=token(key, ends=-3 * HOUR))
    assert client.post(old, crowd.ANYONE).status_code == 410


def test_a_signature_is_asked_for_only_where_the_terms_say_so(client, recruitment):
    recruitment.signed = False
    recruitment.save()
    assert client.get(crowd.open_link(recruitment)).status_code == 200


@pytest.fixture
def keys_server(key):
    """Stands for Prolific: serves `state["text"]` and counts the requests."""
    state = {"text": json.dumps({"keys": [*public(key).values()]}), "asked": 0}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            state["asked"] += 1
            self.send_response(200)
            self.end_headers()
            self.wfile.write(state["text"].encode())

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    state["address"] = f"http://127.0.0.1:{server.server_port}/"
    yield state
    server.shutdown()
    server.server_close()


def test_the_keys_are_fetched_once_and_again_for_a_new_one(
    client, recruitment, key, keys_server, settings
):
    settings.PROLIFIC_KEYS_URL = keys_server["address"]
    cache.delete_many([prolific.KEYS, prolific.ASKED])
    link = crowd.open_link(recruitment, prolific_token=token(key))
    assert [client.get(link).status_code for _ in range(3)] == [200] * 3
    assert keys_server["asked"] == 1
    other = crowd.open_link(recruitment, prolific_token=token(key, key_id="new"))
    assert client.get(other).status_code == 400
    assert keys_server["asked"] == 1  # a moment ago
    cache.delete(prolific.ASKED)
    keys_server["text"] = json.dumps({"keys": [*public(key, "new").values()]})
    assert client.get(other).status_code == 200
    assert client.get(link).status_code == 400  # Prolific has given it up
    assert keys_server["asked"] == 2


@pytest.mark.parametrize("text", ["", "[]", '{"keys": [{}]}', "{" * 200_000])
def test_without_keys_no_one_is_let_in(client, recruitment, key, keys_server, settings, text):
    settings.PROLIFIC_KEYS_URL = keys_server["address"]
    keys_server["text"] = text
    cache.delete_many([prolific.KEYS, prolific.ASKED])
    response = client.get(crowd.open_link(recruitment, prolific_token=token(key)))
    assert response.status_code == 503
    assert "Try again in a minute" in response.content.decode()


def test_the_codes_that_sort_people(client, recruitment):
    recruitment.signed, recruitment.checks = False, crowd.CHECKS
    recruitment.code_failed, recruitment.code_declined = "C4CHECK", "C3NO"
    recruitment.save()
    assert crowd.finish(recruitment, "a" * 24, right=True).code == "C1DONE"
    assert crowd.finish(recruitment, "b" * 24, right=False).code == "C4CHECK"
    young = crowd.start(recruitment, "c" * 24, ready=False)
    said = {"How old are you?": "Under 18", "Country you live in": ""}
    participations.save_answers(participation=young, answers=said, now=timezone.now())
    assert young.code == "C2OUT"
    page = client.post(crowd.open_link(recruitment), {"press": "decline"}).content.decode()
    assert "https://app.prolific.com/submissions/complete?cc=C3NO" in page
    recruitment.code_failed = ""
    recruitment.save()
    assert crowd.finish(recruitment, "d" * 24, right=False).code == "C1DONE"


def test_the_team_ticks_it_where_the_keys_are_known(client, recruitment, rosa, settings):
    recruitment.signed = False
    recruitment.save()
    client.force_login(rosa)
    here = [recruitment.project.slug, recruitment.pk]
    view, terms = reverse("recruitment-view", args=here), reverse("recruitment-change", args=here)
    assert "Its signature is not checked" in client.get(view).content.decode()
    form = client.get(terms).context["form"]
    data = {name: "" if value is None else value for name, value in form.initial.items()}
    assert client.post(terms, data | {"signed": "on"}).status_code == 302
    recruitment.refresh_from_db()
    assert recruitment.signed
    assert "switch on “Secure external URL” there" in client.get(view).content.decode()
    settings.PROLIFIC_KEYS_URL = ""
    assert client.post(terms, data).status_code == 302  # the tick cannot be changed
    recruitment.refresh_from_db()
    assert recruitment.signed
    refused = client.post(terms, data | {"platform": "surveyswap"})
    assert refused.status_code == 422
    assert "Only Prolific signs its links." in refused.content.decode()
