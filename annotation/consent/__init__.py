"""Consent: what each project keeps about people, who has agreed to it, and who allows training.

No one gets work in a project before they have agreed to its text in force. A text is never edited
and an answer never changes, apart from when it ended. Participants of crowds have a consent page of
their own.
"""
