"""Samples of questions and answers that people label, by a scheme: types of ambiguity, errors.

Nobody sees what another person chose before every labeller of the item has chosen.
"""
