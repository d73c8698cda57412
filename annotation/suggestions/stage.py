"""A stage whose page shows what a model suggests.

Its sheet has a `taking`, and what it is given has `suggestions`. `annotation.suggestions.sheet`
does the thinking; here presses are recorded and quotes stored.
"""

import datetime as dt
from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from accounts.models import User
from annotation.core.models.work import Assignment
from annotation.sheets.fields import FormData
from annotation.sheets.rules import HasKeeps, HasSettings
from annotation.suggestions import services as suggestions
from annotation.suggestions.queries import suggested_in
from annotation.suggestions.sheet import (
    DISMISS,
    TAKES,
    SuggestionTaking,
    is_panel_open,
    list_shown_offers,
    list_used_fates,
    suggestion_in,
    used_in,
)
from annotation.suggestions.values import Fate, OfferedSuggestion, SuggestionOffers
from annotation.text.cleaning import ResponseError
from annotation.work.stage import SheetStage


class HasSuggestions(HasSettings, Protocol):
    """What is given to rules and page has suggestions, None where none are shown."""

    @property
    def suggestions(self) -> SuggestionOffers | None: ...


R = TypeVar("R", bound=HasKeeps)
G = TypeVar("G", bound=HasSuggestions)


class SuggestingStage(SheetStage[R, G], ABC):
    """A stage with suggestions; `taking` says what they become."""

    taking: SuggestionTaking[R]

    def apply_press(
        self,
        assignment: Assignment,
        response: R,
        press: str,
        given: G,
        post: FormData,
        *,
        by: User,
        now: dt.datetime,
    ) -> R:
        """Decide on a suggestion, or make something of it."""
        number = suggestion_in(press)
        if number is None:
            return super().apply_press(assignment, response, press, given, post, by=by, now=now)
        offers = given.suggestions.rows() if given.suggestions else ()
        offer = next((offer for offer in offers if offer.pk == number), None)
        if (
            given.suggestions is None
            or offer is None
            or not is_panel_open(self.taking, response, offers)
        ):
            return response
        used = offer.pk in used_in(self.taking, response, offers)
        verb, _, rest = press.partition(" ")
        if verb in TAKES:
            if used:
                return response
            response = self._take(assignment, response, offer, by=by, now=now)
            if self.taking.remembers_offer(offer):
                return response
            fate: Fate = "accepted"
        elif used:
            return response
        else:
            fate = "dismissed" if verb == DISMISS else ""
        suggestions.record_decision(
            assignment=assignment,
            suggestion=offer,
            fate=fate,
            reason=rest.partition(" ")[2] if fate == "dismissed" else "",
            by=by,
            now=now,
        )
        given.suggestions.forget()
        return response

    def _take(
        self,
        assignment: Assignment,
        response: R,
        offer: OfferedSuggestion,
        *,
        by: User,
        now: dt.datetime,
    ) -> R:
        """Make something of a suggestion, with quotes of its passage.

        Raises ResponseError with a sentence if nothing came of it.
        """
        after = self.taking.accept_offer(response, offer)
        for exact in self.taking.words_to_quote(after, offer):
            quote = suggestions.quote_of(
                assignment=assignment, suggestion=offer, exact=exact, by=by, now=now
            )
            if quote:
                after = self.taking.attach_quote(after, offer, quote.pk, quote.exact)
        if after == response:
            raise ResponseError(self.taking.no_effect_reason(response, offer))
        return after

    def read_beside_responses(self, assignments: Sequence[int]) -> Mapping[int, Mapping[str, Any]]:
        """Return the suggestions that were shown in assignments, for exports. One query."""
        return suggested_in(assignments)

    def record_saved_draft(
        self, assignment: Assignment, response: R, given: G, *, by: User, now: dt.datetime
    ) -> None:
        """Record the suggestions that were shown, and what the response has of them."""
        if given.suggestions is None:
            return
        offers = given.suggestions.rows()
        if suggestions.record_seen_suggestions(
            assignment=assignment,
            seen=list_shown_offers(self.taking, response, offers),
            fates=list_used_fates(self.taking, response, offers),
            by=by,
            now=now,
        ):
            given.suggestions.forget()
