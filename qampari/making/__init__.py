"""Making questions with many answers from a graph of Wikidata, each answer with evidence."""
