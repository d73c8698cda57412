"""The networks of Natural Questions' trained baselines, on sizes that can be counted by hand."""

import math

import pytest

from modeling.engines.tokens import EncodedWords

pytestmark = [pytest.mark.models, pytest.mark.xdist_group("models")]

VOCABULARY, SIZE = 12, 6
# Numbers of words: 0 is padding, 1 a word without a vector.
LONG, SHORT = [2, 3, 4, 5], [6, 7]


def row(ids, letters=None):
    return EncodedWords(ids, list(range(len(ids))), letters or [f"w{number}" for number in ids])


def network(name, **changes):
    """Return a network with weights of its own that are far enough from 0, and no dropout."""
    import torch

    from modeling.engines.page_networks import decomposable_attention, doc_reader, document_qa

    modules = {
        "DecomposableAttention": decomposable_attention,
        "DocReader": doc_reader,
        "DocumentQA": document_qa,
    }
    torch.manual_seed(0)
    sizes = {"vocab_size": VOCABULARY, "vector_size": SIZE, "hidden_size": 5} | changes
    module = modules[name]
    model = getattr(module, name)(getattr(module, f"{name}Config")(**sizes)).eval()
    with torch.no_grad():
        model.vectors.weight.normal_()
    return model


def inputs(name, questions, boxes):
    """Return what a network reads: for each question its boxes, of which DocReader reads one."""
    from modeling.engines.page_networks import rows

    asked = [row(ids) for ids in questions]
    read = [[row(ids) for ids in own] for own in boxes]
    if name == "DecomposableAttention":
        return rows.build_box_tensors(asked, read, [range(len(own)) for own in boxes], 0)
    if name == "DocReader":
        return rows.build_text_tensors(asked, [own[0] for own in read], 0)
    return rows.build_marked_tensors(asked, read, 0, 1)


def outputs(model, given):
    import torch

    with torch.inference_mode():
        out = model(**given)
    return [out] if torch.is_tensor(out) else list(out)


NAMES = ["DecomposableAttention", "DocReader", "DocumentQA"]


@pytest.mark.parametrize("name", NAMES)
def test_padding_changes_nothing(name):
    """A short question with a short box says the same alone and beside a longer one."""
    model = network(name)
    alone = outputs(model, inputs(name, [SHORT], [[[7, 8]]]))
    beside = outputs(model, inputs(name, [LONG, SHORT], [[[9, 10, 2, 3, 4]], [[7, 8]]]))
    for one, both in zip(alone, beside, strict=True):
        own = both[-1:] if one.ndim == 1 else both[-1:, : one.shape[1]]
        assert own.tolist() == [pytest.approx(each, abs=1e-6) for each in one.tolist()]
        assert one.ndim != 1 or abs(float(one[0])) > 1e-3
        assert one.ndim == 1 or both[-1, one.shape[1] :].tolist() == [-math.inf] * (
            both.shape[1] - one.shape[1]
        )


@pytest.mark.parametrize("name", NAMES)
def test_what_is_saved_is_loaded(name, tmp_path):
    import torch

    model = network(name)
    given = inputs(name, [LONG, SHORT], [[[2, 9, 10]], [[7, 8]]])
    before = outputs(model, given)
    model.save_pretrained(tmp_path)
    again = type(model).from_pretrained(tmp_path, dtype=torch.float32).eval()
    for one, other in zip(before, outputs(again, given), strict=True):
        assert torch.allclose(one, other, atol=1e-6)
    assert again.config.hidden_size == 5


@pytest.mark.parametrize("name", NAMES)
def test_every_weight_is_learnt_but_word_vectors(name):
    """What boxes of one word do not use is used by longer ones."""
    model = network(name)
    out = model(**inputs(name, [LONG, SHORT], [[[2, 9, 10], [3]], [[7, 8], [5, 6, 7]]]))
    scores = [out] if name == "DecomposableAttention" else out
    sum((one[one.isfinite()] ** 2).sum() for one in scores).backward()
    without = {each for each, weight in model.named_parameters() if weight.grad is None}
    assert without == {"vectors.weight"}


def test_shared_words_are_counted_by_how_rare_they_are_on_the_page():
    """Words 2 and 3 are asked for, and one without a vector. Word 2 is three times on the page."""
    import torch

    model = network("DecomposableAttention")
    given = inputs("DecomposableAttention", [[2, 3, 1]], [[[2, 2, 1, 9], [2, 3], [9, 1]]])
    owners = torch.tensor([0, 0, 0])
    shared = model._count_shared(given["questions"], given["boxes"], owners)
    assert shared.tolist() == [[1, pytest.approx(1 / 3)], [2, pytest.approx(1 / 3 + 1)], [0, 0]]


def test_decomposable_attention_is_that_of_its_formulas():
    """Equations 1 to 7 of Parikh et al. 2016, word by word, then the features of the page."""
    import torch

    model = network("DecomposableAttention", layers=2, positions=3)
    question, box = [2, 3], [3, 8, 9]
    with torch.no_grad():
        first = [model.project(model.vectors.weight[word]) for word in question]
        second = [model.project(model.vectors.weight[word]) for word in box]
        e = [[float(model.attend(a) @ model.attend(b)) for b in second] for a in first]
        v1 = v2 = 0
        for i, a in enumerate(first):
            total = sum(math.exp(x) for x in e[i])
            beta = sum(math.exp(e[i][j]) / total * b for j, b in enumerate(second))
            v1 = v1 + model.compare(torch.cat([a, beta]))
        for j, b in enumerate(second):
            total = sum(math.exp(e[i][j]) for i in range(len(first)))
            alpha = sum(math.exp(e[i][j]) / total * a for i, a in enumerate(first))
            v2 = v2 + model.compare(torch.cat([b, alpha]))
        x = model.aggregate(torch.cat([v1, v2]))
        # The box is the fifth of its page, and word 3 is on the page once.
        features = torch.cat([x, torch.tensor([1.0, 1.0]), model.positions.weight[2]])
        expected = float(model.score(features))
    given = inputs("DecomposableAttention", [question], [[box]])
    given["places"] = torch.tensor([4])
    [scores] = outputs(model, given)
    assert scores.tolist() == [pytest.approx(expected, abs=1e-5)]


def test_letters_tell_words_without_a_vector_apart():
    from modeling.engines.page_networks import rows

    model = network("DocReader")
    texts = [row([1, 1], ["Brunel", "Barry"]), row([1, 1], ["Barry", "Brunel"])]
    given = rows.build_text_tensors([row(SHORT), row(SHORT)], texts, 0)
    starts, _ = outputs(model, given)
    assert starts[0].tolist() != starts[1].tolist()


def test_words_of_the_question_are_marked_in_the_text():
    import torch

    model = network("DocReader")
    same = model._match(torch.tensor([[2, 3, 1, 0]]), torch.tensor([[3, 9, 1, 2, 0]]))
    assert same[0, :, 0].tolist() == [1, 0, 0, 1, 0]


def test_boxes_stand_between_marks():
    from modeling.engines.page_networks import rows

    given = rows.build_marked_tensors([row(SHORT)], [[row([7, 8, 9]), row([5])]], 0, 1)
    assert given["boxes"].tolist() == [[1, 7, 8, 9, 1], [1, 5, 1, 0, 0]]
    assert given["marks"].tolist() == [[1, 0, 0, 0, 2], [1, 0, 2, 0, 0]]
    assert given["counts"].tolist() == [2]
    assert given["box_letters"][1, 1].tolist() == [ord("w") + 1, ord("5") + 1]


def test_a_question_without_words_and_an_empty_box_give_numbers():
    for name in NAMES:
        out = outputs(network(name), inputs(name, [[]], [[[]]]))
        assert not any(one.isnan().any() for one in out)
