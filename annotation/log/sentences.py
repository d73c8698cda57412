"""Rows of the log as sentences.

The words in brackets become a link to the object of the row. Names in braces: `who` did it, `what`
it is about, `whose` assignment it was, `user` is the person concerned, `changes` lists the
differences between before and after; any other name is a value of the row.
"""

from collections.abc import Mapping
from typing import Any

# Packages above add their own.
SENTENCES: dict[str, str] = {
    "admin_made": "{who} made {user} an administrator of the installation.",
    "ambiguity_labelled": "{who} labelled the types of ambiguity of [{what}].",
    "ambiguity_sample_drawn": "{who} drew {size} questions of {split} for [types of ambiguity].",
    "assignment_expired": "The time of {whose} for [{what}] ran out.",
    "assignment_extended": "{who} extended the time for [{what}].",
    "assignment_left_out": "{who} excluded the work of {whose} on [{what}]{because}.",
    "assignment_parked": "{who} parked [{what}]{because}.",
    "assignment_reopened": "{who} took up [{what}] again.",
    "assignment_resumed": "{who} resumed [{what}].",
    "assignment_returned": "{who} gave [{what}] back.",
    "assignment_returned_to_author": "{who} returned [{what}] to {whose}{because}.",
    "assignment_skipped": "{who} skipped [{what}]{because}.",
    "assignment_submitted": "{who} submitted [{what}].",
    "assignment_taken_back": "{who} took back [{what}] to change it.",
    "assignment_taken": "{who} took [{what}].",
    "assignment_used_again": "{who} included the work of {whose} on [{what}] again{because}.",
    "audit_sample_drawn": "{who} drew [an audit sample] of {size} from {population} questions.",
    "baseline_run": "{who} ran the baseline [{system}]: {created} new, {changed} changed.",
    "briefing_published": "{who} published version {version} of [consent and form].",
    "claim_changed": "{who} changed the result of [{what}] after a dispute{because}.",
    "claim_ruling_undone": "{who} took back the decision on the dispute about [{what}].",
    "claim_upheld": "{who} kept the result of [{what}] after a dispute{because}.",
    "concern_changed": "{who} changed the concern about [{what}]{because}.",
    "concern_dismissed": "{who} dismissed the concern about [{what}]{because}.",
    "concern_raised": "{who} raised a concern about [{what}]{because}.",
    "concern_reopened": "{who} reopened the concern about [{what}].",
    "concern_upheld": "{who} excluded [{what}] after a concern{because}.",
    "concern_withdrawn": "{who} withdrew the concern about [{what}].",
    "consensus_changed": "{who} changed a [consensus] of experts: {verdict}.",
    "consensus_reached": "{who} wrote a [consensus] of experts: {verdict}.",
    "context_threshold_changed": "{who} changed [the paragraph limit]: {before} → {after}.",
    "contexts_searched": "{who} searched [paragraphs for the disambiguations].",
    "decision_replaced": "{who} imported the accepted answers of [{what}] again.",
    "exported": "{who} downloaded [an export], {format}{of_split}.",
    "faq_added": "{who} added [{what}] to the FAQ.",
    "faq_changed": "{who} changed [{what}] in the FAQ.",
    "faq_moved": "{who} moved [{what}] {direction} in the FAQ.",
    "faq_removed": "{who} removed an entry from [the FAQ].",
    "feedback_given": "{who} gave {whose} feedback on [{what}].",
    "feedback_taken_back": "{who} took back the feedback to {whose} on [{what}].",
    "gold_flagged": "{user} missed {missed} of {seen} [gold items].",
    "gold_settings": "{who} changed the settings of [gold items].",
    "golds_drawn": "[Gold items] were drawn at {rate} %: {items}.",
    "guidelines_published": "{who} published version {version} of [the guidelines].",
    "import_undone": "{who} undid the import of [{what}]: {questions} questions removed.",
    "invitation_accepted": "{who} accepted [an invitation] as {role}.",
    "invitation_revoked": "{who} revoked [an invitation].",
    "invited": "{who} invited {email} as {role} under [Members].",
    "job_cancel_asked": "{who} asked to stop [{what}].",
    "job_cancelled": "[{what}] was stopped{counts}.",
    "job_created": "{who} started [{what}].",
    "job_done": "[{what}] finished{counts}.",
    "job_failed": "[{what}] failed{counts}.",
    "judgments_imported": "{who} imported {judgments} judgments as the study [{title}].",
    "annotations_replaced": "{who} imported the annotations of [{what}] again.",
    "long_answers_replaced": "{who} imported the long answers of [{what}] again.",
    "membership_paused": "{user} gets no new work under [Members]{because}.",
    "outputs_imported": "{who} imported {created} new and {changed} changed answers of [{system}].",
    "participant_links_made": "{who} made {links} personal links for [{title}].",
    "participation_approved": "{who} approved {user} under [Participants].",
    "participation_commented": "{who} left a note at the end, under [Participants].",
    "participation_ended": "[A participation] ended: {status}, {done} questions.",
    "participation_erased": "{who} deleted what {user} said under [Participants].",
    "participation_rejected": "{who} rejected {user} under [Participants]{because}.",
    "participation_started": "{who} agreed to version {version} of the consent page of [a study].",
    "pause_lifted": "{who} resumed the work of {user} as {role} under [Members].",
    "pay_entered": "{who} entered {amount} {currency} for {user} under [Pay]{because}.",
    "people_changed": "{who} changed how many people [{what}] asks for: {before} → {after}.",
    "person_erased": "{who} erased a person.",
    "policy_changed": "{who} changed the policy of [{what}]: {changes}.",
    "project_changed": "{who} changed [the settings]: {changes}.",
    "project_created": "{who} created [the project].",
    "project_duplicated": "{who} made [the project] as a copy of {source}.",
    "project_state": "{who} changed [the project] to: {state}.",
    "qualification_asked": "{who} asked for a review of an attempt at [{what}].",
    "qualification_changed": "{who} changed [{what}]: {changes}.",
    "qualification_confirmed": "{who} tied [{what}] to version {after} of the guidelines.",
    "qualification_created": "{who} created the qualification [{what}].",
    "qualification_graded": "{who} decided on an attempt at [{what}]{because}.",
    "qualification_item_added": "{who} added an item to [{what}].",
    "qualification_item_changed": "{who} changed an item of [{what}].",
    "qualification_item_moved": "{who} moved an item of [{what}] {direction}.",
    "qualification_item_removed": "{who} removed an item of a [qualification].",
    "qualification_revoked": "{who} revoked the qualification of {user}: [{what}]{because}.",
    "qualification_started": "{who} started an attempt at [{what}].",
    "qualification_state": "{who} changed the state of [{what}]: {before} → {after}.",
    "qualification_submitted": "{who} submitted an attempt at [{what}]: {score} of {total}.",
    "qualified": "{user} passed [{what}].",
    "qualified_by_hand": "{who} qualified {user} for [{what}]{because}.",
    "question_excluded": "{who} excluded [{what}]{because}.",
    "question_moved": "{who} moved [{what}] from {before} to {after}.",
    "question_priority": "{who} changed the place of [{what}] in the queue: {after}.",
    "question_restored": "{who} restored [{what}]{because}.",
    "question_sent_back": "{who} sent [{what}] back to validation{because}.",
    "question_state": "[{what}]: {before} → {after}.",
    "question_text_changed": "{who} imported [{what}] again with another text.",
    "questions_imported": "{who} imported [questions]{counts}.",
    "reader_answers_stored": "{who} stored what [{reader}] answered from {texts} texts.",
    "recruitment_changed": "{who} changed the terms of [{title}].",
    "recruitment_created": "{who} opened the recruitment [{title}].",
    "recruitment_state": "{who} changed [{title}] to: {state}.",
    "released": "{who} downloaded [a release], {format}{of_split}.",
    "role_added": "{who} made {user} {role} under [Members].",
    "role_removed": "{who} removed the role {role} of {user} under [Members].",
    "self_study_done": "{who} finished reading for [{what}].",
    "study_changed": "{who} changed the design of [{title}].",
    "study_closed": "{who} closed [{title}].",
    "study_created": "{who} made a draft of [{title}].",
    "study_deleted": "{who} deleted {title} under [Studies].",
    "study_started": "{who} started [{title}]: {items} items.",
    "system_deleted": "{who} deleted the system [{system}] with {texts} answers.",
    "thread_answered": "{who} replied about [{what}].",
    "thread_opened": "{who} wrote to the team about [{what}].",
    "thread_reopened": "{who} reopened the question about [{what}].",
    "thread_withdrawn": "{who} withdrew what they asked about [{what}].",
    "walk_through_held": "{who} noted the walk-through with {user} for [{what}].",
    "walk_through_taken_back": "{who} took back {user}’s walk-through for [{what}]{because}.",
    "webhook_added": "{who} added [the webhook] {url}.",
    "webhook_stopped": "{who} removed [the webhook] {url}.",
}
# Columns with the words their form uses for them.
_FIELDS = {
    "lease_minutes": "lease (minutes)",
    "park_hours": "parked questions are kept for (hours)",
    "minimum_seconds": "minimum time (seconds)",
    "pay_accepted": "bonus if accepted",
    "pay_floor": "minimum hourly pay",
    "pay_floor_currency": "currency of the minimum",
    "claim_days": "days to dispute a result",
    "skips_before_pause": "skips in a row before a pause",
    "parked_limit": "maximum parked questions",
    "reference_date": "questions as of",
    "title": "name",
    "inputs": "writers are given",
    "rule_settings": "rules",
}
_COUNTED = {
    "created": "new",
    "updated": "updated",
    "unchanged": "unchanged",
    "rejected": "not imported",
    "found": "found",
}
_LONGEST = 80


def parts(action: str, values: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the sentence cut at its brackets: before, link, after. Unknown actions are named."""
    unknown = f"{{who}}: {action.replace('_', ' ')} [{{what}}]."
    before, _, rest = SENTENCES.get(action, unknown).partition("[")
    link, _, after = rest.partition("]")
    filled = _Values(values)
    link, after = link.format_map(filled), after.format_map(filled)
    ended = after == "." and link.endswith("?")
    return before.format_map(filled), link, "" if ended else after


class _Values(dict[str, Any]):
    """Values for a sentence; one that an old row lacks is left open instead of failing."""

    def __missing__(self, key: str) -> str:
        return "…"


def changes(before: Any, after: Any) -> str:
    """Return the differences between two states of a row: `people 2 → 3, pay 0 → 0.75`."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return f"{short(before)} → {short(after)}"
    words = []
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            words.append(changes(old, new))
        else:
            words.append(f"{_FIELDS.get(key, key.replace('_', ' '))} {short(old)} → {short(new)}")
    return ", ".join(words) or "no difference"


def counts(data: Mapping[str, Any]) -> str:
    """Return the counts of a job, as `: 12 new, 1 updated`."""
    words = [f"{data[key]:,} {word}" for key, word in _COUNTED.items() if data.get(key)]
    return f": {', '.join(words)}" if words else ""


def short(value: Any) -> str:
    """Return a value for use in a sentence, cut to a few words."""
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return f"{len(value)} entries"
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
