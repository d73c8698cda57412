"""The pages of validation, claims, figures, questions and releases."""
