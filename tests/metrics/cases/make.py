"""Make the JSON files beside this one from other people's implementations.

    python -m venv reference && reference/bin/pip install crowd-kit==1.4.2 statsmodels==0.15.0
    reference/bin/python tests/metrics/cases/make.py

None of these packages is a dependency of the product (docs/adr/0011). Each file's ``source`` says
which version and which call the numbers come from; the data are drawn here.
"""

import json
import random
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from crowdkit.aggregation import BradleyTerry, DawidSkene
from scipy import stats
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

RANDOM = random.Random(20)


def dawid_skene():
    for classes, items, workers, each in (("yn", 30, 6, 4), ("abc", 40, 7, 5)):
        quality = [0.95, 0.9, 0.8, 0.7, 0.55, 0.6, 0.75][:workers]
        labels = []
        for item in range(items):
            true = RANDOM.choice(classes)
            for worker in sorted(RANDOM.sample(range(workers), each)):
                wrong = RANDOM.choice([c for c in classes if c != true])
                label = true if RANDOM.random() < quality[worker] else wrong
                labels.append((f"t{item}", f"w{worker}", label))
        table = pd.DataFrame(labels, columns=["task", "worker", "label"])
        found = DawidSkene(n_iter=5000, tol=1e-15).fit(table)
        yield {
            "labels": labels,
            "probabilities": {
                task: {c: float(found.probas_.loc[task, c]) for c in classes}
                for task in found.probas_.index
            },
            "priors": {c: float(found.priors_[c]) for c in classes},
            "confusion": {
                worker: {
                    true: {c: float(found.errors_[true].get((worker, c), 0)) for c in classes}
                    for true in classes
                }
                for worker in sorted(set(table.worker))
            },
        }


def bradley_terry():
    for systems in ("abcd", "abcdef"):
        strength = {system: RANDOM.random() + 0.2 for system in systems}
        judgements = []
        for number in range(60):
            left, right = RANDOM.sample(systems, 2)
            chance = strength[left] / (strength[left] + strength[right])
            preferred = "left" if RANDOM.random() < chance else "right"
            judgements.append((f"q{number // 3}", left, right, preferred))
        table = pd.DataFrame(
            [(a, b, a if preferred == "left" else b) for _, a, b, preferred in judgements],
            columns=["left", "right", "label"],
        )
        # With any tolerance above 0 this version stops after two steps: it compares an array with
        # itself.
        found = BradleyTerry(n_iter=20_000, tol=0).fit_predict(table)
        yield {"judgements": judgements, "strengths": {s: float(found[s]) for s in systems}}


def cohen_kappa():
    for categories in (2, 3, 5):
        first = [RANDOM.randrange(categories) for _ in range(50)]
        second = [x if RANDOM.random() < 0.6 else RANDOM.randrange(categories) for x in first]
        yield {
            "first": first,
            "second": second,
            "nominal": cohen_kappa_score(first, second),
            "linear": cohen_kappa_score(first, second, weights="linear"),
            "quadratic": cohen_kappa_score(first, second, weights="quadratic"),
        }


def fleiss():
    for categories, raters in ((2, 3), (4, 5)):
        units = []
        for _ in range(25):
            true = RANDOM.randrange(categories)
            units.append(
                [
                    true if RANDOM.random() < 0.6 else RANDOM.randrange(categories)
                    for _ in range(raters)
                ]
            )
        yield {"units": units, "kappa": float(fleiss_kappa(aggregate_raters(np.array(units))[0]))}


def correlation():
    for n, ties in ((6, False), (12, False), (12, True), (40, True)):
        x = [RANDOM.randrange(6) if ties else round(RANDOM.random(), 6) for _ in range(n)]
        y = [round(v + RANDOM.gauss(0, 2 if ties else 0.3), 0 if ties else 6) for v in x]
        pearson, spearman = stats.pearsonr(x, y), stats.spearmanr(x, y)
        kendall = stats.kendalltau(x, y)
        bounds = pearson.confidence_interval(0.95)
        p_spearman = spearman.pvalue
        if n <= 8:
            p_spearman = stats.permutation_test(
                (x,),
                lambda z, y=y: stats.spearmanr(z, y).statistic,
                permutation_type="pairings",
                n_resamples=np.inf,
            ).pvalue
        yield {
            "first": x,
            "second": y,
            "pearson": [float(pearson.statistic), float(pearson.pvalue)],
            "pearson_interval": [float(bounds.low), float(bounds.high)],
            "spearman": [float(spearman.statistic), float(p_spearman)],
            "kendall": [float(kendall.statistic), float(kendall.pvalue)],
        }


def tfidf():
    """Paragraphs and questions of words that are hard to cut and to write in small letters."""
    drawn = random.Random(21)  # of its own: what is above stays as it is
    words = [
        *("the", "tunnel", "opened", "Opened", "in", "1843", "1", "Charles's", "U.S.", "1.5"),
        *("3,000", "C++", "x_y", "–", "?", "art", "party", "a", "İstanbul", "Straße", "ﬁne"),
        *("e\u0301", "日本", "Σας", "’s"),
    ]
    for paragraphs, questions in ((1, 1), (4, 3), (12, 4), (30, 6)):
        texts = [" ".join(drawn.choices(words, k=drawn.randint(0, 40))) for _ in range(paragraphs)]
        asked = [
            " ".join(drawn.choices([*words, "elephants", "why"], k=drawn.randint(1, 9)))
            for _ in range(questions)
        ]
        pattern = r"(?u)\b\w+\b"
        analyse = TfidfVectorizer(token_pattern=pattern).build_analyzer()
        vocabulary = sorted({word for text in (*texts, *asked) for word in analyse(text)})
        vectors = TfidfVectorizer(token_pattern=pattern, vocabulary=vocabulary, sublinear_tf=True)
        documents = vectors.fit_transform(texts)
        cosines = (vectors.transform(asked) @ documents.T).toarray()
        yield {"paragraphs": texts, "questions": asked, "cosines": cosines.tolist()}


def wilson():
    for successes, n in ((0, 1), (1, 1), (0, 30), (3, 7), (50, 100), (399, 400), (1, 400)):
        for level in (0.8, 0.9, 0.95, 0.99):
            interval = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
            bounds = [float(interval.low), float(interval.high)]
            yield {"successes": successes, "n": n, "level": level, "bounds": bounds}


MADE = [
    ("dawid_skene", dawid_skene, "crowd-kit", "DawidSkene(n_iter=5000, tol=1e-15).fit"),
    ("bradley_terry", bradley_terry, "crowd-kit", "BradleyTerry(n_iter=20_000, tol=0)"),
    ("cohen_kappa", cohen_kappa, "scikit-learn", "cohen_kappa_score(weights=...)"),
    ("fleiss_kappa", fleiss, "statsmodels", "fleiss_kappa(aggregate_raters(units)[0])"),
    (
        "correlation",
        correlation,
        "scipy",
        "pearsonr, spearmanr, kendalltau: [statistic, p]; Spearman's p up to 8 by permutation_test",
    ),
    ("tfidf", tfidf, "scikit-learn", "TfidfVectorizer(sublinear_tf=True), fitted on paragraphs"),
    ("wilson", wilson, "scipy", "binomtest(successes, n).proportion_ci(level, method='wilson')"),
]

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name, make, package, call in MADE:
        data = {"source": f"{package} {version(package)}: {call}", "sets": list(make())}
        path = Path(__file__).with_name(f"{name}.json")
        path.write_text(json.dumps(data, indent=1) + "\n")
