"""Environment helpers refuse bad values by name; a missing secret is explained."""

import os
import subprocess
import sys
from decimal import Decimal

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env


@pytest.mark.parametrize(("value", "expected"), [("True", True), ("False", False), ("", True)])
def test_env_bool_reads(monkeypatch, value, expected):
    monkeypatch.setenv("FLAG", value)
    assert env.env_bool("FLAG", default=True) is expected


def test_env_bool_refuses_by_name(monkeypatch):
    monkeypatch.setenv("FLAG", "yes")
    with pytest.raises(ImproperlyConfigured, match="FLAG is 'yes'; set it to True or False"):
        env.env_bool("FLAG", default=False)


@pytest.mark.parametrize(
    "value", ["Reading Lab, Lake University", "Gewässer & Söhne <e.V.>", "", "x" * 120]
)
def test_env_line_reads(monkeypatch, value):
    monkeypatch.setenv("LINE", value)
    assert env.env_line("LINE") == value


@pytest.mark.parametrize("value", ["x" * 121, "two\nlines", "Bcc:\ra@lab.example", "\u202elive"])
def test_env_line_refuses_by_name(monkeypatch, value):
    monkeypatch.setenv("LINE", value)
    with pytest.raises(ImproperlyConfigured, match="LINE must be one line of at most 120"):
        env.env_line("LINE")


@pytest.mark.parametrize("value", ["", "ambit@lab.example", "first.last+x@sub.lab.example"])
def test_env_email_reads(monkeypatch, value):
    monkeypatch.setenv("MAIL", value)
    assert env.env_email("MAIL") == value


@pytest.mark.parametrize(
    "value",
    ["lab", "@lab.example", "a@b@c", "Lab <a@lab.example>", "a@x, b@x", "a@x?bcc=b@x", "a@x\nb"],
)
def test_env_email_refuses_by_name(monkeypatch, value):
    monkeypatch.setenv("MAIL", value)
    with pytest.raises(ImproperlyConfigured, match=r"MAIL is .*; set it to one e-mail address"):
        env.env_email("MAIL")


@pytest.mark.parametrize(
    ("value", "sentence"),
    [("ten", "set it to a whole number"), ("-1", "between 0 and"), ("9" * 30, "between 0 and")],
)
def test_env_int_refuses_by_name(monkeypatch, value, sentence):
    monkeypatch.setenv("COUNT", value)
    with pytest.raises(ImproperlyConfigured, match=sentence):
        env.env_int("COUNT", 5)


@pytest.mark.parametrize(
    ("value", "expected"), [("", None), ("2.50", Decimal("2.5")), ("0", Decimal(0))]
)
def test_envdecimal_reads(monkeypatch, value, expected):
    monkeypatch.setenv("PRICE", value)
    assert env.env_decimal("PRICE") == expected


@pytest.mark.parametrize("value", ["two", "-1", "NaN", "Infinity", "1e99", "2,50"])
def test_envdecimal_refuses_by_name(monkeypatch, value):
    monkeypatch.setenv("PRICE", value)
    with pytest.raises(ImproperlyConfigured, match=r"PRICE is .*; set it to a number such as"):
        env.env_decimal("PRICE")


@pytest.mark.parametrize(
    ("value", "expected"),
    [("", {}), (" ; ", {}), ("a=/x; b = y=z ;", {"a": "/x", "b": "y=z"})],
)
def test_envpairs_reads(monkeypatch, value, expected):
    monkeypatch.setenv("PAIRS", value)
    assert env.env_pairs("PAIRS", ("a", "b")) == expected


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("a", "PAIRS has 'a'; write it as key=value"),
        ("a=", "PAIRS has 'a='; write it"),
        ("c=1", "PAIRS has 'c'; it can set a, b"),
        ("a=1;a=2", "PAIRS sets a twice"),
    ],
)
def test_envpairs_refuses_by_name(monkeypatch, value, sentence):
    monkeypatch.setenv("PAIRS", value)
    with pytest.raises(ImproperlyConfigured, match=sentence):
        env.env_pairs("PAIRS", ("a", "b"))


def test_envurl_refuses_another_scheme(monkeypatch):
    monkeypatch.setenv("REDIS_URL", "http://localhost")
    with pytest.raises(ImproperlyConfigured, match="REDIS_URL must start with redis://"):
        env.env_url("REDIS_URL", "redis", "rediss")


@pytest.mark.parametrize("address", ["redis://h:port", "redis://:hush/me@h:1", "redis://[::1"])
def test_envurl_refuses_what_is_no_address_without_showing_it(monkeypatch, address):
    monkeypatch.setenv("REDIS_URL", address)
    with pytest.raises(ImproperlyConfigured, match="REDIS_URL cannot be read") as refusal:
        env.env_url("REDIS_URL", "redis")
    assert "hush" not in str(refusal.value)


def test_envchoice_names_the_choices(monkeypatch):
    monkeypatch.setenv("LOG_LEVEL", "loud")
    with pytest.raises(ImproperlyConfigured, match="LOG_LEVEL is 'loud'; set it to INFO or ERROR"):
        env.env_choice("LOG_LEVEL", "INFO", ["INFO", "ERROR"])
    monkeypatch.setenv("LOG_LEVEL", "ERROR")
    assert env.env_choice("LOG_LEVEL", "INFO", ["INFO", "ERROR"]) == "ERROR"


@pytest.mark.parametrize("name", ["Mars/One", "../etc/passwd", "Europe"])
def test_envzone_refuses_what_is_no_time_zone(monkeypatch, name):
    monkeypatch.setenv("TIME_ZONE", name)
    with pytest.raises(ImproperlyConfigured, match="TIME_ZONE is"):
        env.env_time_zone("TIME_ZONE", "UTC")
    monkeypatch.setenv("TIME_ZONE", "Europe/London")
    assert env.env_time_zone("TIME_ZONE", "UTC") == "Europe/London"


def test_envsecret_reads_a_file(monkeypatch, tmp_path):
    path = tmp_path / "secret"
    path.write_text("hush\n")
    monkeypatch.delenv("KEY", raising=False)
    monkeypatch.setenv("KEY_FILE", str(path))
    assert env.env_secret("KEY") == "hush"
    monkeypatch.setenv("KEY_FILE", str(tmp_path / "missing"))
    with pytest.raises(ImproperlyConfigured, match=r"KEY_FILE is .* cannot be read"):
        env.env_secret("KEY")


def run_check(**variables):
    """Import the settings in a process of its own and return what it printed."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("SECRET_KEY", "AMBIT_EMBEDDED_URL", "DATABASE_URL")
    }
    return subprocess.run(
        [sys.executable, "-c", "import config.settings"],
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_production_without_a_secret_is_explained():
    done = run_check(DATABASE_URL="postgresql://ambit@db.example/ambit")
    assert done.returncode != 0
    assert "SECRET_KEY is not set" in done.stderr
    assert "secrets.token_urlsafe" in done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://localhost/ambit"),
        ("BROKER_URL", "kafka://localhost"),
        ("DEBUG", "1"),
        ("TRUSTED_PROXIES", "many"),
        ("EMAIL_URL", "pigeon://loft"),
        ("LOG_FORMAT", "xml"),
        ("SENTRY_DSN", "https://sentry.example/1"),
        ("SENTRY_DSN", "https://hush@sentry.example:port/1"),
    ],
)
def test_a_bad_value_is_refused_by_name(name, value):
    done = run_check(SECRET_KEY="x" * 60, **{name: value})
    assert done.returncode != 0
    assert name in done.stderr
    assert "hush" not in done.stderr


def test_the_embedded_default_makes_and_keeps_a_secret(tmp_path):
    code = "import config.settings as s; print(s.SECRET_KEY)"
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("SECRET_KEY", "DATABASE_URL")
    } | {"AMBIT_DATA": str(tmp_path)}
    first, second = (
        subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout
        for _ in range(2)
    )
    assert first == second
    assert len(first.strip()) >= 50
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0


def test_pages_for_developers_show_no_password():
    """With DEBUG=True an error shows all settings."""
    secret = "s3cret"
    given = {
        "SECRET_KEY": secret,
        "PSEUDONYM_KEY": secret,
        "DATABASE_URL": f"postgresql://ambit:{secret}@db.example/ambit",
        "REDIS_URL": f"redis://:{secret}@redis.example",
        "BROKER_URL": f"amqp://ambit:{secret}@broker.example",
        "STORAGE_URL": f"s3://KEY:{secret}@bucket/folder",
        "EMAIL_URL": f"smtp://ambit:{secret}@mail.example",
        "SENTRY_DSN": f"https://{secret}@sentry.example/1",
        "METRICS_TOKEN": secret,
        "AMBIT_LLM_URL": f"https://ambit:{secret}@llm.example/v1",
        "AMBIT_LLM_KEY": secret,
        "OIDC_URL": "https://id.example",
        "OIDC_CLIENT_ID": "ambit",
        "OIDC_CLIENT_SECRET": secret,
    }
    code = (
        "import pprint; from django.views.debug import get_default_exception_reporter_filter as of;"
        "pprint.pprint(of().get_safe_settings())"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | given | {"DEBUG": "True", "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "'ALLOWED_HOSTS'" in shown.stdout, shown.stderr
    assert [line for line in shown.stdout.splitlines() if secret in line] == []
