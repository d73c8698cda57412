"""Build what the validation form shows of a response, by columns and rows."""

from collections.abc import Collection, Sequence
from urllib.parse import urlencode

from annotation.reading.articles import page_address
from annotation.sheets.report import FindingsReport
from metrics.edits import list_diff_spans
from metrics.text import answer_key
from validation.verdicts.form_context import (
    WORDS,
    AnnotatorColumn,
    AnswerCell,
    FormShown,
    PageLink,
    PhrasingShown,
    RowShown,
    SaidShown,
    SetShown,
    ValidationFormContext,
    name_annotators,
    spell_number,
)
from validation.verdicts.given import ValidationContext
from validation.verdicts.merging import Member
from validation.verdicts.presses import shared_forms
from validation.verdicts.responses import (
    AnswerRow,
    Contribution,
    Form,
    Phrasing,
    ProposedSet,
    ValidationResponse,
    build_result,
    derive_verdicts,
    has_changed_rows,
    resolve_verdicts,
    row_letter,
)
from validation.verdicts.tokens import quote_token
from validation.verdicts.values import KeptReason, PageRead
from wikipedia.models import Quote


class ValidationFormBuilder:
    """Builds what the form shows of a response, with the findings of the rules.

    `within`: the key of the set, where staff edit its rows without columns of annotators.
    """

    def __init__(
        self,
        given: ValidationContext,
        response: ValidationResponse,
        report: FindingsReport,
        *,
        selected: Collection[str] = (),
        within: str = "",
    ) -> None:
        self.response, self.report, self.selected = response, report, frozenset(selected)
        self.within, self.by = within, "afterwards" if within else "by you"
        self.assignment, self.said, self.prompt = given.assignment, given.said, given.prompt
        self.pages, self.quotes, self.kept = given.pages(), given.quotes(), given.kept()
        self.groups = group_columns(response, given.said)
        self.several = len(response.standing) > 1

    def build_form(self) -> ValidationFormContext:
        """Return the whole form."""
        response, said = self.response, self.said
        outcome = build_result(response, said)
        twice = same_answer_twice(response.standing)
        letters = {row.key: row_letter(place) for place, row in enumerate(response.rows)}
        return ValidationFormContext(
            columns=tuple(self._column(numbers) for numbers in self.groups),
            rows=self.build_rows(),
            sets=tuple(self._set(accepted) for accepted in outcome.accepted),
            pages=tuple(self._all_pages()),
            changed=has_changed_rows(response, said),
            outcome=outcome.outcome,
            standing=len(response.standing),
            twice=" and ".join(letters[row.key] for row in twice[0]) if twice else "",
            ask_questions=self.several,
        )

    # --- columns ---------------------------------------------------------------------------------

    def _column(self, numbers: tuple[int, ...]) -> AnnotatorColumn:
        place = numbers[0] - 1
        said = self.said[place]
        verdict = resolve_verdicts(self.response, self.said)[place]
        return AnnotatorColumn(
            numbers=numbers,
            none_reason=said.none_reason if said.kind == "none" else "",
            verdict=WORDS[verdict],
            chosen=self.response.verdicts[place] is not None,
            told=self._told(place),
            pages=tuple(self._page(page) for page in self._read_by(numbers)),
            kept=self._kept(numbers, None),
            findings=self.report.findings_at(f"verdict-{numbers[0]}"),
        )

    def _told(self, column: int) -> str:
        """Compare an annotation with the final set: "2 of 3 answers, one excluded."."""
        if not self.said[column].pairs:
            return "Found no answer."
        rows, standing = self.response.rows, self.response.standing
        mine = [row for row in rows if any(m.annotation == column for m in row.members)]
        gone = sum(row.excluded for row in mine)
        remaining = len(mine) - gone
        text = f"{remaining} of {len(standing)} answer{'' if len(standing) == 1 else 's'}"
        if gone:
            return f"{text}, {spell_number(gone)} excluded."
        own = derive_verdicts(self.response, self.said)[column]
        reworded = (
            has_changed_rows(self.response, self.said)
            and remaining == len(standing)
            and own is None
        )
        return f"{text}, wording changed." if reworded else f"{text}."

    def _kept(self, numbers: Sequence[int], pair: int | None) -> tuple[KeptReason, ...]:
        """Return the warnings these annotators kept on one of their pairs, or on none of them."""
        reasons = (
            reason
            for number in numbers
            for reason in self.kept.get(self.said[number - 1].annotation, ())
            if reason.pair == pair
        )
        return tuple(dict.fromkeys(reasons))

    def _read_by(self, numbers: Sequence[int]) -> list[PageRead]:
        pages = {page.path: page for number in numbers for page in self.pages[number - 1]}
        return sorted(pages.values(), key=lambda page: (page.title.casefold(), page.path))

    def _all_pages(self) -> list[PageLink]:
        return [self._page(page) for page in self._read_by(range(1, len(self.said) + 1))]

    def _page(self, page: PageRead) -> PageLink:
        query = urlencode({"via": "validator_chip"})
        return PageLink(page.title, f"{page_address(self.assignment, page.path)}?{query}")

    def _quote(self, quote: Quote) -> PageLink:
        token = quote_token(self.assignment, quote.pk)
        title = ", ".join([quote.page.title, *quote.section_path[-1:]])
        address = f"{page_address(self.assignment, quote.page.path)}?via=validator_chip"
        return PageLink(title, f"{address}#quote-{token}", token, quote.exact)

    # --- rows ------------------------------------------------------------------------------------

    def build_rows(self) -> tuple[RowShown, ...]:
        """Return the rows of answers, in their order."""
        return tuple(self._row(place, row) for place, row in enumerate(self.response.rows))

    def _row(self, place: int, row: AnswerRow) -> RowShown:
        total = len(self.response.rows)
        flags = f"{'c' if row.combined else ''}{'x' if row.excluded else ''}"
        members = ",".join(f"{m.annotation}.{m.pair}" for m in row.members)
        field_name = f"row-{row.key}-answer"
        columns = {member.annotation for member in row.members}
        who = tuple(n for numbers in self.groups for n in numbers if n - 1 in columns)
        return RowShown(
            key=row.key,
            letter=row_letter(place),
            line=f"{self.within} {row.key}" if self.within else f"{row.key};{members};{flags}",
            within=self.within,
            name=row.forms[0].text if row.forms else "",
            reason="" if self.within else self._reason(row, who),
            who=name_annotators(who) if who else "",
            excluded=row.excluded,
            why=row.why,
            selected=row.key in self.selected,
            first=place == 0,
            last=place == total - 1,
            can_separate=len(row.members) > 1,
            cells=() if self.within else tuple(self._cell(row, numbers) for numbers in self.groups),
            forms=tuple(self._form(index, form) for index, form in enumerate(row.forms)),
            phrasings=tuple(
                self._phrasing(row, index, phrasing) for index, phrasing in enumerate(row.phrasings)
            ),
            blank=self._phrasing(row, len(row.phrasings), Phrasing("")),
            kept=len(row.kept),
            answer_findings=self.report.findings_at(field_name),
        )

    def _reason(self, row: AnswerRow, who: tuple[int, ...]) -> str:
        if not row.members:
            return "Added by you"
        if row.combined:
            return f"Combined by you: {self._heads(row)} mean the same"
        if len(row.members) > 1:
            shared = row.shared or shared_forms(dict(enumerate(self.said)), row.members)
            both = "both" if len(self.said) == 2 else name_annotators(who).lower()
            both = "all" if len(who) == len(self.said) > 2 else both
            return f"Merged because {both} wrote {_quoted(shared)}"
        if apart := self._apart(row):
            return f"Kept apart by you from {apart}"
        only = "Only " if len(self.said) > 1 else ""
        name = name_annotators(who)
        return f"{only}{name[0].lower() if only else name[0]}{name[1:]} found this"

    def _heads(self, row: AnswerRow) -> str:
        """Return the first form of each member of a row, each once."""
        heads: dict[str, str] = {}
        for member in row.members:
            forms = self.said[member.annotation].pairs[member.pair].forms
            if forms:
                heads.setdefault(answer_key(forms[0]), forms[0])
        return _quoted(list(heads.values()))

    def _apart(self, row: AnswerRow) -> str:
        """Return the letters of the rows of other generators that share a form with this one."""
        own = self._keys(row)
        columns = {member.annotation for member in row.members}
        letters = [
            row_letter(place)
            for place, other in enumerate(self.response.rows)
            if other.key != row.key
            and not columns & {m.annotation for m in other.members}
            and own & self._keys(other)
        ]
        return " and ".join(letters)

    def _keys(self, row: AnswerRow) -> set[str]:
        """Return the keys by which the forms of a row's members are compared."""
        texts = (text for m in row.members for text in self.said[m.annotation].pairs[m.pair].forms)
        return {key for text in texts if (key := answer_key(text))}

    def _cell(self, row: AnswerRow, numbers: tuple[int, ...]) -> AnswerCell:
        mine = [m for m in row.members if m.annotation == numbers[0] - 1]
        return AnswerCell(
            label=name_annotators(numbers), answers=tuple(self._said(numbers, m) for m in mine)
        )

    def _said(self, numbers: Sequence[int], member: Member) -> SaidShown:
        pair = self.said[member.annotation].pairs[member.pair]
        alike = [self.said[number - 1].pairs[member.pair].pk for number in numbers]
        quotes = [quote for pk in alike if pk for quote in self.quotes.get(pk, ())]
        links = {link.title: link for link in map(self._quote, reversed(quotes))}
        return SaidShown(
            forms=pair.forms,
            question=pair.question,
            spans=tuple(list_diff_spans(self.prompt, pair.question)) if pair.question else (),
            quotes=tuple(reversed(links.values())),
            kept=self._kept(numbers, member.pair),
        )

    def _form(self, index: int, form: Form) -> FormShown:
        told = ""
        if form.origin is not None:
            column, pair, place = form.origin
            own = self.said[column].pairs[pair].forms[place]
            if own != form.text:
                told = f"“{form.text}”: {self._whose(column)} wrote “{own}”."
        origin = ".".join(map(str, form.origin)) if form.origin else ""
        return FormShown(index, form.text, origin, told)

    def _phrasing(self, row: AnswerRow, index: int, each: Phrasing) -> PhrasingShown:
        own, whose = "", ""
        if each.origin is not None:
            own = self.said[each.origin[0]].pairs[each.origin[1]].question
            whose = self._whose(each.origin[0])
        if not each.origin:
            told = f"Written {self.by}" if each.text and row.suggestion is None else ""
        else:
            told = f"From {whose}" if own == each.text else f"Edited {self.by}"
        name = f"row-{row.key}-question-{index + 1}"
        return PhrasingShown(
            field=name,
            index=index,
            text=each.text,
            origin="" if each.origin is None else f"{each.origin[0]}.{each.origin[1]}",
            kept=each.kept,
            told=told,
            own=own,
            whose=whose,
            spans=tuple(list_diff_spans(self.prompt, each.text)) if each.text else (),
            findings=self.report.findings_at(name),
        )

    def _whose(self, column: int) -> str:
        numbers = next(numbers for numbers in self.groups if column + 1 in numbers)
        return name_annotators(numbers).lower()

    # --- what follows ----------------------------------------------------------------------------

    def _set(self, accepted: ProposedSet) -> SetShown:
        title = "The final set"
        if accepted.column is not None:
            title = f"As {self._whose(accepted.column)} wrote it"
        return SetShown(
            title=title,
            pairs=tuple(
                (
                    tuple(phrasing.text for phrasing in row.phrasings)
                    if accepted.kind == "multiple"
                    else (self.prompt,),
                    tuple(form.text for form in row.forms),
                )
                for row in accepted.pairs
            ),
        )


def _quoted(texts: Sequence[str]) -> str:
    named = [f"“{text if len(text) <= 60 else text[:59].rstrip() + '…'}”" for text in texts[:3]]
    return " and ".join(filter(None, [", ".join(named[:-1]), *named[-1:]]))


def group_columns(
    response: ValidationResponse, said: Sequence[Contribution]
) -> list[tuple[int, ...]]:
    """Return the numbers of the columns (from 1), grouped by what they wrote.

    Columns that wrote the same are one group while each row holds all of them or none, and their
    verdicts are the same.
    """
    by_content: dict[object, list[int]] = {}
    for column, contribution in enumerate(said):
        homes = [
            next((r.key for r in response.rows if Member(column, place) in r.members), "")
            for place in range(len(contribution.pairs))
        ]
        pairs = tuple(
            (pair.question, pair.forms, home)
            for pair, home in zip(contribution.pairs, homes, strict=True)
        )
        key = (contribution.kind, pairs, contribution.none_reason, response.verdicts[column])
        by_content.setdefault(key, []).append(column + 1)
    return [tuple(numbers) for numbers in by_content.values()]


def same_answer_twice(rows: Sequence[AnswerRow]) -> list[tuple[AnswerRow, AnswerRow]]:
    """Return the pairs of different rows that share a form, each pair once."""
    keys = [{answer_key(form.text) for form in row.forms} - {""} for row in rows]
    return [
        (rows[i], rows[j])
        for i in range(len(rows))
        for j in range(i + 1, len(rows))
        if keys[i] & keys[j]
    ]
