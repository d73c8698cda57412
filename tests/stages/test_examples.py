"""A stage that is registered without an example is found out before a test runs."""

import pytest

from annotation.stages import registry as stages
from tests.stages.examples import EXAMPLES
from tests.stages.scene import example_of


def test_a_stage_without_an_example_is_named():
    with pytest.raises(LookupError, match="The stage 'unheard' has no example in tests/"):
        example_of("unheard")


def test_no_example_is_left_of_a_stage_that_went():
    assert set(EXAMPLES) == {stage.key for stage in stages.list_stages()}
