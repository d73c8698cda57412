"""Verdicts on facts as rows of a project, so that each is asked for once."""

import hashlib
from collections import OrderedDict
from dataclasses import asdict
from typing import Final

from annotation.models import Project
from qampari.making.evidence import EvidenceWindow
from qampari.making.judging import EvidenceJudge
from qampari.making.queries import Triple
from qampari.making.relations import AskedRelation, key_of_relation
from qampari.making.verdicts import TripleVerdict
from qampari.models import EvidenceVerdict

_WINDOW: Final = tuple(EvidenceWindow.__dataclass_fields__)
_KEPT_VALUES: Final = 256
_Key = tuple[str, int]


class StoredVerdicts:
    """The verdicts of one judge on the facts of a project, in the sentences of one snapshot.

    They are read by what is asked about, one query for each; new ones are written by `flush`.
    """

    def __init__(self, project: Project, snapshot: str, judge: EvidenceJudge) -> None:
        self._project = project
        # What all of them are found by; a job keeps it, for the pages about its verdicts.
        self.about = {"snapshot": snapshot, "judge": f"{judge.key} {judge.version}"[:60]}
        self._known: OrderedDict[_Key, dict[int, TripleVerdict]] = OrderedDict()
        self._new: list[EvidenceVerdict] = []

    def find(self, triple: Triple) -> TripleVerdict | None:
        """Return the verdict on a triple, None where it was not judged yet."""
        return self._read((hash_wording(triple.relation), triple.value)).get(triple.item)

    def keep(self, triple: Triple, verdict: TripleVerdict) -> None:
        """Keep a verdict; it is a row once `flush` was called."""
        wording = hash_wording(triple.relation)
        self._read((wording, triple.value))[triple.item] = verdict
        window = asdict(verdict.window) if verdict.window else {}
        self._new.append(
            EvidenceVerdict(
                project=self._project,
                **self.about,
                wording=wording,
                item=triple.item,
                value=triple.value,
                score=verdict.score,
                sentences=verdict.sentences,
                **window,
            )
        )

    def flush(self) -> None:
        """Write the new verdicts. One that another run has written meanwhile stays as it is."""
        EvidenceVerdict.objects.bulk_create(self._new, batch_size=500, ignore_conflicts=True)
        self._new.clear()

    def _read(self, key: _Key) -> dict[int, TripleVerdict]:
        if key not in self._known:
            wording, value = key
            rows = EvidenceVerdict.objects.filter(
                project=self._project, **self.about, wording=wording, value=value
            )
            self._known[key] = {row.item: _verdict(row) for row in rows}
            if len(self._known) > _KEPT_VALUES and not self._new:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]


def hash_wording(relation: AskedRelation) -> str:
    """Return what changes when a sentence has to show something else."""
    parts = (key_of_relation(relation), relation.statement, *relation.cues)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _verdict(row: EvidenceVerdict) -> TripleVerdict:
    window = EvidenceWindow(**{name: getattr(row, name) for name in _WINDOW}) if row.path else None
    return TripleVerdict(row.score, window, row.sentences)
