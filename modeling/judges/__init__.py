"""Language models as judges of a study, beside people: what they are sent, said, and cost.

Their judgments are apart from those of people, and nobody who judges sees any of it.
"""
