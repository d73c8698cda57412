"""The page of a project's relations, and the form on which each is worded.

With scripts a relation opens in its row, and its preview follows what is typed; without them it has
a page of its own, with the same form.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access.data import check_can_import
from annotation.access.loaders import UserRequest, get_project, parse_number
from annotation.models import Project
from annotation.pages.views import project_page
from annotation.work.turn_views import is_fragment
from qampari.making.editing import queries, services
from qampari.making.editing.forms import (
    EDITED,
    AddRelationForm,
    RelationForm,
    read_version,
    tell_differences,
    write_fields,
)
from qampari.making.editing.proposals import (
    can_propose,
    choose_relations,
    estimate_cost,
    list_proposals,
    start_wording_job,
)
from qampari.making.editing.rows import (
    RelationRow,
    build_rows,
    filter_rows,
    list_filters,
    word_example,
)
from qampari.making.queries import KeepRule
from qampari.making.relations import (
    TEXT_NAMES,
    BadRelation,
    find_wording_problems,
    parse_relation_key,
)
from wikipedia.wikidata.folders import list_graphs, open_graph

_MOST_LEAST = 2_000
_SEARCH_LIMIT = 200


@dataclass(frozen=True, slots=True)
class ShownGraph:
    """Which graph the page shows, "" where there is none here, and from how many answers on."""

    name: str
    least: int

    @property
    def query(self) -> str:
        """The same, for addresses."""
        return urlencode([("graph", self.name), ("least", self.least)])


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def made_relations(request: UserRequest, slug: str) -> HttpResponse:
    """List the relations of a project with their counts in a graph; add one."""
    project = get_project(request, slug, check_can_import)
    shown = _read_shown(request)
    form = AddRelationForm(request.POST or None) if request.method == "POST" else AddRelationForm()
    if request.method == "POST" and shown.name and form.is_valid() and _is_in_graph(form, shown):
        ids = form.get_ids()
        services.add_relation(project=project, ids=ids, by=request.user, now=timezone.now())
        return redirect(_address(project, _place(ids), shown))
    search = request.GET.get("q", "")[:_SEARCH_LIMIT].replace("\0", "")
    rows = _build_rows(project, shown, queries.list_project_relations(project))
    kind = request.GET.get("show", "all")
    context = project_page(request, project, "overview") | {
        "add_form": form,
        "made_here": project.protocol == services.PROTOCOL,
        "graphs": list_graphs(),
        "shown": shown,
        "search": search,
        "kind": kind,
        "filters": list_filters(rows),
        "rows": filter_rows(rows, shown=kind, search=search),
        "can_propose": can_propose(),
        "unworded": sum(not row.relation.is_worded for row in rows),
    }
    status = 422 if form.is_bound else 200
    return render(request, "qampari/relations.html", context, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def made_relation(request: UserRequest, slug: str, place: str) -> HttpResponse:
    """Word one relation: in its row where a script asks, else on a page of its own."""
    project = get_project(request, slug, check_can_import)
    editor = _Editor(request, project, _get_relation(project, place))
    if request.method != "POST":
        if "closed" in request.GET:
            return editor.show_row()
        return editor.show_form(RelationForm(relation=editor.relation))
    action = request.POST.get("action", "")
    if action == "restore":
        return editor.restore()
    if action == "example":
        return editor.show_example()
    name = action.removeprefix("use ")
    if name != action and name in EDITED:
        return editor.take_proposal(name)
    return editor.save()


class _Editor:
    """One request about one relation."""

    def __init__(
        self, request: UserRequest, project: Project, relation: queries.ProjectRelation
    ) -> None:
        self.request, self.project, self.relation = request, project, relation
        self.shown = _read_shown(request)
        if not self.shown.name:
            raise Http404
        self.in_row = is_fragment(request)

    def save(self) -> HttpResponse:
        """Save what was typed, or say what is wrong with it."""
        form = RelationForm(self.request.POST, relation=self.relation)
        if not form.is_valid():
            return self.show_form(form, status=422)
        try:
            self.relation = services.save_relation(
                project=self.project,
                asked=form.get_asked(),
                included=form.cleaned_data["included"],
                seen=form.cleaned_data["version"],
                by=self.request.user,
                now=timezone.now(),
            )
        except services.RelationConflict as conflict:
            return self._show_conflict(conflict)
        return self._leave("Saved.")

    def restore(self) -> HttpResponse:
        """Go back to the relation that comes with Ambit, or remove one that was added."""
        try:
            services.restore_relation(
                project=self.project,
                ids=queries.ids_of(self.relation.asked),
                seen=read_version(self.request.POST),
                by=self.request.user,
                now=timezone.now(),
            )
        except services.RelationConflict as conflict:
            return self._show_conflict(conflict)
        found = queries.find_project_relation(self.project, queries.ids_of(self.relation.asked))
        if found is None:
            messages.success(self.request, "The relation was removed.")
            table = self._table()
            if self.in_row:
                return HttpResponse(headers={"HX-Redirect": table})
            return redirect(table)
        self.relation = found
        return self._leave("It is again as it comes with Ambit.")

    def take_proposal(self, name: str) -> HttpResponse:
        """Show the form with what was typed, and one field as a model words it."""
        data = self.request.POST.copy()
        proposal = self._find_proposal()
        data[name] = proposal.get(name, data.get(name, ""))
        return self.show_form(RelationForm(relation=self._read_typed(data)), focus=name)

    def show_example(self) -> HttpResponse:
        """Show what the words that are typed say of something in the graph. Nothing is saved."""
        typed = self._read_typed(self.request.POST)
        if not self.in_row:
            return self.show_form(RelationForm(relation=typed))
        problems = find_wording_problems(typed.asked)
        # What is still empty is not wrong yet.
        errors = {
            name: problems.get(name, "") if getattr(typed.asked, name) else ""
            for name in TEXT_NAMES
        }
        row = self._row(typed)
        context = {
            "place": typed.place,
            "row": row,
            "worded": word_example(row),
            "live_errors": errors,
        }
        return render(self.request, "qampari/_relation_preview.html", context)

    def show_row(self, announced: str = "") -> HttpResponse:
        """Show the row closed. announced: what a screen reader says."""
        context = {"project": self.project, "shown": self.shown, "row": self._row()}
        context |= {"focused": self.in_row, "saved": bool(announced)}
        response = render(self.request, "qampari/_relation.html", context)
        if announced:
            response["HX-Trigger"] = json.dumps({"announce": announced})
        return response

    def show_form(
        self,
        form: RelationForm,
        *,
        status: int = 200,
        focus: str = "",
        conflict: services.RelationConflict | None = None,
    ) -> HttpResponse:
        """Show the form in its row, or on its page. focus: the field that gets it."""
        typed = self._read_typed(form.data) if form.is_bound else form.relation
        wrong = next((name for name in EDITED if name in form.errors), "question")
        form.fields[focus or wrong].widget.attrs["autofocus"] = True
        proposal = write_fields(typed) | self._find_proposal()
        context: dict[str, Any] = {
            "project": self.project,
            "shown": self.shown,
            "row": self._row(),
            "place": self.relation.place,
            "form": form,
            "worded": word_example(self._row(typed)),
            "proposal": tell_differences(proposal, typed),
            "conflict": str(conflict or ""),
            "theirs": (
                tell_differences(write_fields(conflict.theirs), typed)
                if conflict and conflict.theirs
                else {}
            ),
            "can_propose": can_propose(),
        }
        if self.in_row:
            return render(self.request, "qampari/_relation.html", context, status=status)
        context |= project_page(self.request, self.project, "overview")
        return render(self.request, "qampari/relation.html", context, status=status)

    def _show_conflict(self, conflict: services.RelationConflict) -> HttpResponse:
        """Show the form with what was typed, ready to be saved over what is there now."""
        typed = self._read_typed(self.request.POST)
        version = conflict.theirs.version if conflict.theirs else 0
        self.relation = conflict.theirs or self.relation
        form = RelationForm(relation=replace(typed, version=version))
        return self.show_form(form, status=conflict.status, conflict=conflict)

    def _read_typed(self, data: Mapping[str, Any]) -> queries.ProjectRelation:
        asked = RelationForm(data, relation=self.relation).get_asked()
        return replace(
            self.relation, asked=asked, included="included" in data, version=read_version(data)
        )

    def _leave(self, sentence: str) -> HttpResponse:
        if self.in_row:
            return self.show_row(sentence)
        messages.success(self.request, sentence)
        return redirect(f"{self._table()}#relation-{self.relation.place}")

    def _table(self) -> str:
        return f"{reverse('made-relations', args=[self.project.slug])}?{self.shown.query}"

    def _find_proposal(self) -> dict[str, str]:
        return list_proposals(self.project).get(self.relation.key, {})

    def _row(self, relation: queries.ProjectRelation | None = None) -> RelationRow:
        relations = [relation or self.relation]
        (row,) = _build_rows(self.project, self.shown, relations, with_proposals=False)
        return row


def _build_rows(
    project: Project,
    shown: ShownGraph,
    relations: list[queries.ProjectRelation],
    *,
    with_proposals: bool = True,
) -> list[RelationRow]:
    if not shown.name or project.protocol != services.PROTOCOL:
        return []
    proposed = list_proposals(project) if with_proposals else {}
    return build_rows(shown.name, relations, least=shown.least, proposed=proposed)


def _read_shown(request: UserRequest) -> ShownGraph:
    graphs = list_graphs()
    wanted = request.GET.get("graph", "")
    least = parse_number(request.GET.get("least", ""))
    usual = KeepRule().least
    return ShownGraph(
        wanted if wanted in graphs else next(iter(graphs), ""),
        least if 1 <= least <= _MOST_LEAST else usual,
    )


def _get_relation(project: Project, place: str) -> queries.ProjectRelation:
    if project.protocol != services.PROTOCOL:
        raise Http404
    try:
        ids = parse_relation_key(place.replace("-", "/"))
    except BadRelation:
        raise Http404 from None
    found = queries.find_project_relation(project, ids)
    if found is None:
        raise Http404
    return found


def _is_in_graph(form: AddRelationForm, shown: ShownGraph) -> bool:
    """Whether the graph has facts of a relation; else the form says what it lacks."""
    prop, type_id = form.get_ids()
    with open_graph(shown.name) as graph:
        if not graph.count_questions(prop, least=1):
            form.add_error("property", f"The graph “{shown.name}” has no facts of P{prop}.")
        elif type_id and not graph.count_questions(prop, least=1, type_id=type_id):
            form.add_error(
                "type", f"Nothing of the type Q{type_id} has P{prop} in the graph “{shown.name}”."
            )
        else:
            return True
    return False


def _place(ids: queries.RelationIds) -> str:
    return f"P{ids[0]}" + (f"-Q{ids[1]}" if ids[1] else "")


def _address(project: Project, place: str, shown: ShownGraph) -> str:
    return f"{reverse('made-relation', args=[project.slug, place])}?{shown.query}"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def propose_wordings(request: UserRequest, slug: str) -> HttpResponse:
    """Say what it costs to ask the language model for wordings; then ask it, as a job."""
    project = get_project(request, slug, check_can_import)
    shown = _read_shown(request)
    if project.protocol != services.PROTOCOL or not shown.name or not can_propose():
        raise Http404
    key = request.GET.get("relation", "").replace("-", "/")
    relations = choose_relations(project, key)
    if request.method == "POST":
        job = start_wording_job(
            project=project, graph=shown.name, key=key, by=request.user, now=timezone.now()
        )
        return redirect("job-detail", slug, job.pk)
    context = project_page(request, project, "overview") | {
        "shown": shown,
        "place": request.GET.get("relation", ""),
        "rows": _build_rows(project, shown, relations),
        "cost": estimate_cost(shown.name, relations),
    }
    return render(request, "qampari/propose.html", context)
