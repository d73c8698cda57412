"""What `manage.py check` says: of the database and, with `--deploy`, of a proxy."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning


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


def check_version(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Return an error if this version cannot work on the database. `migrate` asks this first."""
    from config import versions  # which looks into the migrations

    sentence = versions.find_misfit() if databases else ""
    return [Error(sentence, id="ambit.E001")] if sentence else []
