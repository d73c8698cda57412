"""Natural Questions' trained baselines as networks over frozen word vectors (N22, N23).

They are models of transformers, so that they are trained, saved and loaded as all others are.
"""
