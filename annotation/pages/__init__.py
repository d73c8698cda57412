"""The frame of a project’s pages: its tabs, its cards, and the base of forms.

Which tabs and cards there are comes from extensions.
"""
