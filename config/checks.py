"""What `manage.py check` says: of the database and, with `--deploy`, of the settings."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

# What strangers should be able to read, with the number of the warning where it is missing.
DESCRIPTION = (
    ("SITE_NAME", "W004", "what this installation is called"),
    ("OPERATOR", "W005", "who runs this installation"),
    ("CONTACT_EMAIL", "W006", "whom to write to"),
    ("ETHICS_APPROVAL", "W007", "which ethics board approved the work, and under which number"),
)


def check_proxy(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Return a warning for each way in which HTTPS, BEHIND_PROXY and TRUSTED_PROXIES clash."""
    behind = settings.SECURE_PROXY_SSL_HEADER is not None
    trusted = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    problems: list[CheckMessage] = []
    if settings.SECURE_SSL_REDIRECT and not behind:
        problems.append(
            Warning(
                "HTTPS is on without BEHIND_PROXY: the web server speaks plain HTTP, so every "
                "page would redirect to itself for ever.",
                hint="Set BEHIND_PROXY=True once a proxy sets X-Forwarded-Proto.",
                id="ambit.W001",
            )
        )
    if behind and not trusted:
        problems.append(
            Warning(
                "BEHIND_PROXY is True and TRUSTED_PROXIES is 0: everyone seems to come from the "
                "proxy's address, so eleven wrong passwords lock out everyone.",
                hint="Leave TRUSTED_PROXIES out, or set it to the number of proxies.",
                id="ambit.W002",
            )
        )
    if trusted and not behind:
        problems.append(
            Warning(
                f"TRUSTED_PROXIES is {trusted} without BEHIND_PROXY: anyone can invent an address "
                "and so try any number of passwords.",
                hint="Set BEHIND_PROXY=True if there is a proxy, otherwise leave both out.",
                id="ambit.W003",
            )
        )
    return problems


def check_description(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Return a warning for each thing that the sign-in page cannot tell strangers."""
    return [
        Warning(
            f"{name} is not set: the sign-in page does not say {what}.",
            hint=f"Set {name} (docs/settings.md).",
            id=f"ambit.{number}",
        )
        for name, number, what in DESCRIPTION
        if not getattr(settings, name)
    ]


def check_version(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Return an error if this version cannot work on the database. `migrate` asks this first."""
    from config import versions  # which looks into the migrations

    sentence = versions.find_misfit() if databases else ""
    return [Error(sentence, id="ambit.E001")] if sentence else []
