"""How a project is doing: the panels of the report Project.

They count work and money, and change neither.
"""
