"""Recipes: which there are, how they fit the roles, and their table in the docs."""

from pathlib import Path

import pytest

from modeling.base import BadOption
from modeling.roles import ROLES
from modeling.training.forms import TrainingSetForm
from modeling.training.layouts import FIELDS
from modeling.training.recipe_table import render_recipes
from modeling.training.recipes import LAYOUTS, RECIPES, SEARCHING_ROLES, find_recipe

DOCS = Path(__file__).resolve().parents[3] / "docs" / "models.md"


def test_each_is_of_a_role_that_baselines_have_weights_for():
    assert set(RECIPES) - {"encoder"} <= set(ROLES)
    assert all(role in RECIPES for roles in SEARCHING_ROLES.values() for role in roles)


def test_the_docs_show_them_as_they_are():
    assert render_recipes() in DOCS.read_text(encoding="utf-8")


def test_every_layout_is_described_and_offered():
    assert set(FIELDS) == set(LAYOUTS)
    assert {layout for recipe in RECIPES.values() for layout in recipe.layouts} == set(LAYOUTS)
    offered = [key for key, _ in TrainingSetForm().fields["layout"].choices]
    assert offered == ["", *LAYOUTS]


def test_a_role_is_the_first_unless_another_is_named():
    assert find_recipe("disambig-first", ("disambig-first", "ambiguity")).role == "disambig-first"
    assert find_recipe("dense", (), "reranker").role == "reranker"
    with pytest.raises(BadOption, match="has no weights that can be trained"):
        find_recipe("smollm2", ("language-model",))
