"""Read the environment through helpers that refuse bad values by name.

Every setting that differs between installations comes through here, so that a wrong value is
one sentence at start-up and never a surprise at run time.
"""

import os
import re
from collections.abc import Collection, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ImproperlyConfigured


def env_str(name: str, default: str = "") -> str:
    """Return the variable without surrounding white space, or `default` when unset or empty."""
    return os.environ.get(name, "").strip() or default


def env_line(name: str, most: int = 120) -> str:
    """Return the variable as one line that pages and subjects of e-mails can show."""
    value = env_str(name)
    if len(value) > most or not value.isprintable():
        raise ImproperlyConfigured(f"{name} must be one line of at most {most} characters.")
    return value


def env_email(name: str) -> str:
    """Return the e-mail address in the variable, without a name before it."""
    value = env_str(name)
    if value and not re.fullmatch(r"[^@\s,;:<>\"]+@[^@\s,;:<>\"/?&#]+", value):
        raise ImproperlyConfigured(
            f"{name} is {value!r}; set it to one e-mail address, such as ambit@lab.example."
        )
    return value


def env_bool(name: str, *, default: bool) -> bool:
    """Return True for `True`, False for `False`; anything else is refused."""
    value = env_str(name)
    if not value:
        return default
    if value not in ("True", "False"):
        raise ImproperlyConfigured(f"{name} is {value!r}; set it to True or False.")
    return value == "True"


def env_int(name: str, default: int, *, least: int = 0, most: int = 2**31 - 1) -> int:
    """Return the variable as a whole number between `least` and `most`."""
    value = env_str(name)
    if not value:
        return default
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} is {value!r}; set it to a whole number.") from None
    if not least <= number <= most:
        raise ImproperlyConfigured(f"{name} is {number}; set it between {least} and {most}.")
    return number


def env_decimal(name: str) -> Decimal | None:
    """Return the variable as a number from 0 on, None when unset or empty."""
    value = env_str(name)
    if not value:
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        number = Decimal("NaN")
    if not (number.is_finite() and 0 <= number <= 1_000_000):
        raise ImproperlyConfigured(
            f"{name} is {value!r}; set it to a number such as 2.50, from 0 to 1,000,000."
        )
    return number


def env_list(name: str) -> list[str]:
    """Return the comma-separated parts of the variable, without empty ones."""
    return [part.strip() for part in env_str(name).split(",") if part.strip()]


def env_hosts(name: str) -> list[str]:
    """Return the comma-separated hosts of the variable, each with a port where it has one."""
    hosts = [part.lower() for part in env_list(name)]
    for host in hosts:
        if not re.fullmatch(r"([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", host):
            raise ImproperlyConfigured(
                f"{name} has {host!r}; write each as lab.example or lab.example:8443."
            )
    return hosts


def env_pairs(name: str, keys: Collection[str]) -> dict[str, str]:
    """Return the `key=value` of the variable, between semicolons; only `keys` are known."""
    pairs: dict[str, str] = {}
    for part in filter(str.strip, env_str(name).split(";")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and key and value):
            raise ImproperlyConfigured(f"{name} has {part.strip()!r}; write it as key=value.")
        if key not in keys:
            raise ImproperlyConfigured(f"{name} has {key!r}; it can set {', '.join(keys)}.")
        if key in pairs:
            raise ImproperlyConfigured(f"{name} sets {key} twice.")
        pairs[key] = value
    return pairs


def env_secret(name: str) -> str:
    """Return the secret in NAME, or the content of the file that NAME_FILE names."""
    if value := env_str(name):
        return value
    if path := env_str(f"{name}_FILE"):
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ImproperlyConfigured(
                f"{name}_FILE is {path!r}, which cannot be read: {error.strerror}."
            ) from None
    return ""


def env_choice(name: str, default: str, choices: Sequence[str]) -> str:
    """Return the variable, which is one of `choices`."""
    value = env_str(name, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name} is {value!r}; set it to {' or '.join(choices)}.")
    return value


def env_time_zone(name: str, default: str) -> str:
    """Return the name of a time zone that this machine knows."""
    value = env_str(name)
    if not value:
        return default
    try:
        return ZoneInfo(value).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ImproperlyConfigured(
            f"{name} is {value!r}; set it to a name such as Europe/London."
        ) from None


def env_url(name: str, *schemes: str) -> str:
    """Return the URL in the variable; a scheme outside `schemes` or a bad port is refused.

    The sentence never shows the value, which may hold a password.
    """
    value = env_str(name)
    if value and value.split("://", 1)[0] not in schemes:
        raise ImproperlyConfigured(
            f"{name} must start with {' or '.join(f'{scheme}://' for scheme in schemes)}."
        )
    try:
        _ = urlsplit(value).port
    except ValueError:
        raise ImproperlyConfigured(
            f"{name} cannot be read as an address: after the host comes :PORT, a number, and "
            "characters such as @ : / # in its password are percent-encoded."
        ) from None
    return value


def env_sentry_dsn(name: str) -> str:
    """Return the address of a project at Sentry; one that it could not be is refused.

    The sentence never shows the value, which holds a key.
    """
    value = env_secret(name)
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and parts.username and parts.port != 0
        usable = usable and parts.hostname and parts.path.rpartition("/")[2].isdigit()
    except ValueError:
        usable = False
    if value and not usable:
        raise ImproperlyConfigured(
            f"{name} is not an address that Sentry gives; it looks like "
            "https://key@sentry.example/1."
        )
    return value
