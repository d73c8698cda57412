"""allauth's hooks: nobody signs up by themselves, people come by invitation."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Close the public sign-up."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
