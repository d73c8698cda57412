"""Sign-in at an institution by OpenID Connect, from the environment."""

from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.env import env_secret, env_str, env_url

PROVIDER = "institution"
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def build_providers() -> dict[str, Any]:
    """Return allauth's SOCIALACCOUNT_PROVIDERS, empty where no institution is set."""
    address = env_url("OIDC_URL", "https", "http").rstrip("/")
    client, secret = env_str("OIDC_CLIENT_ID"), env_secret("OIDC_CLIENT_SECRET")
    name = env_str("OIDC_NAME", "your institution")
    if not (address or client or secret):
        return {}
    needed = {"OIDC_URL": address, "OIDC_CLIENT_ID": client, "OIDC_CLIENT_SECRET": secret}
    if missing := [variable for variable, value in needed.items() if not value]:
        raise ImproperlyConfigured(
            f"Sign-in at an institution needs {' and '.join(missing)}, too. Set all of "
            f"{', '.join(needed)}, or none."
        )
    if address.startswith("http://") and urlsplit(address).hostname not in _LOOPBACK:
        raise ImproperlyConfigured("OIDC_URL must start with https://: it proves who people are.")
    app = {
        "provider_id": PROVIDER,
        "name": name,
        "client_id": client,
        "secret": secret,
        "settings": {"server_url": address},
    }
    return {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}}


def list_form_origins(configured: dict[str, Any]) -> list[str]:
    """Return the origins that the form on the sign-in page leads to."""
    apps = configured.get("openid_connect", {}).get("APPS", [])
    addresses = [urlsplit(app["settings"]["server_url"]) for app in apps]
    return [f"{address.scheme}://{address.netloc}" for address in addresses]
