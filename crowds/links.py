"""Signed links of participants: HMAC over the recruitment, who it is for, and when it ends."""

import datetime as dt
from dataclasses import dataclass

from django.core import signing

_SALT = "crowds.link"
LONGEST = 500


class BadLink(ValueError):
    """The link was not made here, or is damaged."""


@dataclass(frozen=True)
class RecruitmentLink:
    """What a link says. `external_id` is "" in the link that a platform gives to everyone.

    `made` is when the recruitment was made: where a restored backup gives the same number again,
    old links are useless.
    """

    recruitment: int
    made: int
    external_id: str = ""
    ends: int = 0

    def is_over(self, now: dt.datetime) -> bool:
        """Return whether the link has ended; one without an end goes by its recruitment."""
        return bool(self.ends) and now.timestamp() >= self.ends

    @property
    def ends_at(self) -> dt.datetime:
        """When it ends."""
        return dt.datetime.fromtimestamp(self.ends, dt.UTC)

    def signed_token(self) -> str:
        """Return the signed text of the link. The signature is HMAC-SHA256 under SECRET_KEY."""
        return signing.Signer(salt=_SALT, sep=".").sign_object(
            [self.recruitment, self.made, self.external_id, self.ends]
        )


def read_link(token: str) -> RecruitmentLink:
    """Return what a token says. Raises BadLink."""
    if len(token) > LONGEST:
        raise BadLink
    try:
        recruitment, made, external_id, ends = signing.Signer(salt=_SALT, sep=".").unsign_object(
            token
        )
    except (signing.BadSignature, ValueError, TypeError):
        raise BadLink from None
    return RecruitmentLink(recruitment, made, external_id, ends)
