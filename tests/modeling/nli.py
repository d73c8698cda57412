"""Tiny models of natural language inference: any family, classes in any order."""

import torch
import transformers

from tests.modeling.tiny import POSITIONS, build_bytes_tokenizer

NAMES = ("entailment", "neutral", "contradiction")
_SIZES = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
    "initializer_range": 0.15,
}  # fmt: skip
_DEBERTA = {
    "relative_attention": True, "position_buckets": 32, "norm_rel_ebd": "layer_norm",
    "share_att_key": True, "pos_att_type": ["p2c", "c2p"], "position_biased_input": False,
    "type_vocab_size": 0, "max_position_embeddings": POSITIONS,
}  # fmt: skip
# RoBERTa begins to count positions after the number of the token that pads.
FAMILIES = {
    "roberta": ("Roberta", {"type_vocab_size": 1, "max_position_embeddings": POSITIONS + 2}),
    "deberta-v2": ("DebertaV2", _DEBERTA),
}


def build_model(folder, family="roberta", names=NAMES, *, width=2.0):
    """Save a model whose classes are called `names`; the weights of a class go with its name.

    width: of the head's weights. Scores are spread more widely, and differ more in eight bits, the
    wider they are.
    """
    torch.set_num_threads(1)
    torch.manual_seed(5)
    tokenizer = build_bytes_tokenizer()
    tokenizer.model_max_length = POSITIONS
    kind, own = FAMILIES[family]
    marks = {mark: getattr(tokenizer, mark) for mark in
             ("bos_token_id", "eos_token_id", "pad_token_id")}  # fmt: skip
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=len(tokenizer), num_labels=3, **_SIZES, **own, **marks
    )
    model = getattr(transformers, f"{kind}ForSequenceClassification")(config)
    head = model.classifier.out_proj if family == "roberta" else model.classifier
    with torch.no_grad():
        drawn = torch.randn(head.weight.shape, generator=torch.Generator().manual_seed(3))
        scaled = drawn * width / drawn.shape[1] ** 0.5
        head.weight.copy_(scaled[[NAMES.index(name.lower()) for name in names]])
        head.bias.zero_()
    model.config.id2label = dict(enumerate(names))
    model.config.label2id = {name: number for number, name in enumerate(names)}
    transformers.utils.logging.disable_progress_bar()
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
