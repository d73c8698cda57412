"""What each part of a baseline runs on, where neither AMBIT_MODELS nor an option says otherwise.

These are the models that the papers began with. Those that must be trained for their part first
are named in docs/models.md. Settings read this, so it loads nothing.
"""

from typing import Final

ROLES: Final = {
    "question-encoder": "facebook/dpr-question_encoder-multiset-base",
    "passage-encoder": "facebook/dpr-ctx_encoder-multiset-base",
    "reader": "facebook/dpr-reader-multiset-base",
    "reranker": "cross-encoder/ms-marco-MiniLM-L6-v2",
    "ambiguity": "google-bert/bert-base-uncased",
    "span-seq-gen": "facebook/bart-large",
    "qd": "facebook/bart-large",
    "disambig-first": "facebook/bart-large",
    "t5-closed": "google-t5/t5-large",
    "t5-open": "google-t5/t5-large",
    "oracle": "google-t5/t5-large",
    "fid": "google-t5/t5-large",
    "pig": "google-t5/t5-large",
    "jpr": "google-t5/t5-3b",
    "language-model": "smollm2",
    "disambig-f1": "deepset/roberta-large-squad2",
    "entailment": "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli",
    "nq-reader": "google-bert/bert-large-uncased",
    # Of these nobody released weights: they run on what was trained here under their own name.
    "decatt": "trained:decatt",
    "doc-reader": "trained:doc-reader",
    "document-qa": "trained:document-qa",
}
