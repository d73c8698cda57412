"""Read the environment through helpers that refuse bad values by name.

Every setting that differs between installations comes through here, so that a wrong value is
one sentence at start-up and never a surprise at run time.
"""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def envstr(name: str, default: str = "") -> str:
    """Return the variable without surrounding white space, or `default` when unset or empty."""
    return os.environ.get(name, "").strip() or default


def envbool(name: str, *, default: bool) -> bool:
    """Return True for `True`, False for `False`; anything else is refused."""
    value = envstr(name)
    if not value:
        return default
    if value not in ("True", "False"):
        raise ImproperlyConfigured(f"{name} is {value!r}; set it to True or False.")
    return value == "True"


def envint(name: str, default: int, *, least: int = 0, most: int = 2**31 - 1) -> int:
    """Return the variable as a whole number between `least` and `most`."""
    value = envstr(name)
    if not value:
        return default
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} is {value!r}; set it to a whole number.") from None
    if not least <= number <= most:
        raise ImproperlyConfigured(f"{name} is {number}; set it between {least} and {most}.")
    return number


def envlist(name: str) -> list[str]:
    """Return the comma-separated parts of the variable, without empty ones."""
    return [part.strip() for part in envstr(name).split(",") if part.strip()]


def envsecret(name: str) -> str:
    """Return the secret in NAME, or the content of the file that NAME_FILE names."""
    if value := envstr(name):
        return value
    if path := envstr(f"{name}_FILE"):
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ImproperlyConfigured(
                f"{name}_FILE is {path!r}, which cannot be read: {error.strerror}."
            ) from None
    return ""


def envurl(name: str, *schemes: str) -> str:
    """Return the URL in the variable; a scheme outside `schemes` is refused."""
    value = envstr(name)
    if value and value.split("://", 1)[0] not in schemes:
        raise ImproperlyConfigured(
            f"{name} must start with {' or '.join(f'{scheme}://' for scheme in schemes)}."
        )
    return value
