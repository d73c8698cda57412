"""A corpus in memory: passages that share a word with the query, most shared words first."""

from dataclasses import replace

from modeling.base import ArticlePassage

TUNNEL = ArticlePassage("7-1", "Thames Tunnel", "The Thames Tunnel was opened to walkers in 1843.")
TRAINS = ArticlePassage(
    "7-2", "Thames Tunnel", "The first trains ran through the Thames Tunnel in 1869."
)
BRIDGE = ArticlePassage("9-1", "Tower Bridge", "Tower Bridge over the Thames opened in 1894.")


class Corpus:
    name, version = "bridges", "1"

    def __init__(self, *passages):
        self.passages = passages or (TRAINS, TUNNEL, BRIDGE)
        self.asked = []

    def search(self, query, top):
        self.asked.append((query, top))
        words = set(query.lower().split())
        scored = [
            replace(p, score=float(len(words & set(f"{p.title} {p.text}".lower().split()))))
            for p in self.passages
        ]
        hits = [passage for passage in scored if passage.score]
        return sorted(hits, key=lambda passage: -passage.score)[:top]
