"""Tiny models with random weights and real tokenizers, which run the code that large ones run.

`build(kind, folder)` saves one as transformers does. Weights are drawn from a fixed seed, widely
enough that what a model writes depends on what it reads.
"""

import json
import re

KINDS = (
    "bart",
    "t5",
    "encoder",  # of sentences: mean of the tokens, of length 1
    "dpr-question",
    "dpr-passage",
    "dpr-reader",
    "qa",
    "classifier",
    "cross-encoder",
)
# Those that can be trained: nothing keeps a plain one from writing any token.
PLAIN = ("plain-bart", "plain-t5", "plain-bert", "plain-dpr-reader")
POSITIONS = 128  # the longest input of the tiny BERTs and of the tiny BART
_LINES = [
    "When did the Thames Tunnel open to walkers, and when did the first trains run through it?",
    "The Thames Tunnel was opened to walkers in 1843 and to trains in 1869.",
    "Tower Bridge over the Thames opened in 1894; its engineers were Barry and Jones.",
    "Who built the tunnel? Marc Brunel and his son Isambard Kingdom Brunel built it.",
    "question: Who built the bridge? title: Tower Bridge context: It was built by many people.",
    "How long is the bridge, and how deep is the tunnel? info: wikipage: answers: context: | # ;",
    "Not Relevant disambiguations: context1: context2: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
    "A ferry crossed the river before there was a bridge; a ship sank there in January 1928.",
]
_LETTERS = list("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;?!'\"#|[]()-")


def build_plain(kind, folder, dropout=0.0):
    """Save a model as it is before any training, with its tokenizer. Returns the folder.

    Its weights are small and without meaning, so that a few hundred steps can teach it.
    """
    import torch
    import transformers

    torch.set_num_threads(1)
    torch.manual_seed(PLAIN.index(kind))
    tokenizer = {"plain-bart": build_bytes_tokenizer, "plain-t5": _unigram}.get(kind, _wordpiece)(
        kind.removeprefix("plain-")
    )
    size, layers, heads, rows = 64, 2, 4, len(tokenizer)
    if kind == "plain-bart":
        model = transformers.BartForConditionalGeneration(
            transformers.BartConfig(
                vocab_size=rows, d_model=size, encoder_layers=layers, decoder_layers=layers,
                encoder_attention_heads=heads, decoder_attention_heads=heads,
                encoder_ffn_dim=2 * size, decoder_ffn_dim=2 * size,
                max_position_embeddings=POSITIONS, dropout=dropout, init_std=0.02,
            )
        )  # fmt: skip
        model.generation_config.min_length = 9  # as the released large model: of another task
    elif kind == "plain-t5":
        model = transformers.T5ForConditionalGeneration(
            transformers.T5Config(
                vocab_size=rows + 4, d_model=size, d_kv=16, d_ff=2 * size, num_layers=layers,
                num_heads=heads, decoder_start_token_id=0, dropout_rate=dropout,
            )
        )  # fmt: skip
    else:
        name, config = {
            "plain-bert": ("BertModel", "BertConfig"),
            "plain-dpr-reader": ("DPRReader", "DPRConfig"),
        }[kind]
        model = getattr(transformers, name)(
            getattr(transformers, config)(
                vocab_size=rows, hidden_size=size, num_hidden_layers=layers,
                num_attention_heads=heads, intermediate_size=2 * size,
                max_position_embeddings=POSITIONS, initializer_range=0.02,
                pad_token_id=tokenizer.pad_token_id, hidden_dropout_prob=dropout,
                attention_probs_dropout_prob=dropout,
            )
        )  # fmt: skip
    transformers.utils.logging.disable_progress_bar()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def build(kind, folder):
    """Save a model of this kind, with its tokenizer, into the folder. Returns the folder."""
    import torch
    import transformers

    torch.set_num_threads(1)
    torch.manual_seed(KINDS.index(kind))
    tokenizer = {"bart": build_bytes_tokenizer, "t5": _unigram}.get(kind, _wordpiece)(kind)
    model = {"bart": _bart, "t5": _t5}.get(kind, _bert)(kind, tokenizer)
    transformers.utils.logging.disable_progress_bar()
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if kind == "encoder":
        _pooling(folder)
    return folder


def _bart(kind, tokenizer):
    from transformers import BartConfig, BartForConditionalGeneration

    config = BartConfig(
        vocab_size=len(tokenizer),
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=POSITIONS,
        init_std=0.5,
    )
    model = BartForConditionalGeneration(config)
    # It writes words, separators and ends, and no pieces of characters.
    for token, number in tokenizer.get_vocab().items():
        bias = {"</s>": 2.0, "[SEP]": 2.0}.get(token, 0.0 if len(token) > 3 else -100.0)
        model.final_logits_bias[0, number] = bias if token[0] != "<" or bias > 0 else -100.0
    # As the released large model has them: settings of another task, which must not be used.
    model.generation_config.forced_bos_token_id = 0
    model.generation_config.min_length = 9
    model.generation_config.no_repeat_ngram_size = 3
    model.generation_config.num_beams = 4
    return model


def _t5(kind, tokenizer):
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(
        vocab_size=len(tokenizer) + 4,  # there are more rows than tokens in the released ones too
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
        initializer_factor=6.0,
    )
    model = T5ForConditionalGeneration(config)
    for token, number in tokenizer.get_vocab().items():
        if token.startswith("<") and token != "</s>":
            model.shared.weight.data[number] = 0.0  # so that it hardly ever writes them
    return model


def _bert(kind, tokenizer):
    import transformers

    name, config = {
        "encoder": ("BertModel", "BertConfig"),
        "dpr-question": ("DPRQuestionEncoder", "DPRConfig"),
        "dpr-passage": ("DPRContextEncoder", "DPRConfig"),
        "dpr-reader": ("DPRReader", "DPRConfig"),
        "qa": ("BertForQuestionAnswering", "BertConfig"),
        "classifier": ("BertForSequenceClassification", "BertConfig"),
        "cross-encoder": ("BertForSequenceClassification", "BertConfig"),
    }[kind]
    return getattr(transformers, name)(
        getattr(transformers, config)(
            vocab_size=len(tokenizer),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=POSITIONS,
            initializer_range=0.5,
            pad_token_id=tokenizer.pad_token_id,
            num_labels=1 if kind == "cross-encoder" else 2,
        )
    )


def build_bytes_tokenizer(kind="bart"):
    """BART's: bytes in pairs."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import BartTokenizer

    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    trained.train_from_iterator(_LINES, trainer)
    model = json.loads(trained.to_str())["model"]
    vocabulary = model["vocab"]
    vocabulary["<mask>"] = len(vocabulary)
    tokenizer = BartTokenizer(vocab=vocabulary, merges=[tuple(pair) for pair in model["merges"]])
    tokenizer.add_tokens(["[SEP]"], special_tokens=True)  # as training for SpanSeqGen adds it
    return tokenizer


def _unigram(kind):
    """T5's: pieces of SentencePiece with a hundred extra ids."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import T5Tokenizer

    trained = Tokenizer(models.Unigram())
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=400,
        special_tokens=["<pad>", "</s>", "<unk>"],
        unk_token="<unk>",
        initial_alphabet=_LETTERS,
        show_progress=False,
    )
    trained.train_from_iterator(_LINES, trainer)
    model = json.loads(trained.to_str())["model"]
    # Scores of single characters, and the order of what has one score, differ between runs.
    scored = [(text, round(score, 4) if len(text) > 1 else -9.0) for text, score in model["vocab"]]
    pieces = scored[:3] + sorted(scored[3:], key=lambda piece: (-piece[1], piece[0]))
    extra = [(f"<extra_id_{number}>", 0.0) for number in reversed(range(100))]
    return T5Tokenizer(vocab=pieces + extra)


def _wordpiece(kind):
    """BERT's: lower case, words in pieces. Every word of the lines is one piece."""
    import transformers

    name = {
        "dpr-question": "DPRQuestionEncoderTokenizer",
        "dpr-passage": "DPRContextEncoderTokenizer",
        "dpr-reader": "DPRReaderTokenizer",
    }.get(kind, "BertTokenizer")
    words = set(re.findall(r"\w+|[^\w\s]", " ".join(_LINES).lower()))
    letters = {letter.lower() for letter in _LETTERS}
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = marks + sorted(words | letters | {f"##{letter}" for letter in letters})
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    return getattr(transformers, name)(vocab=vocabulary, model_max_length=POSITIONS)


def _pooling(folder):
    """The files with which sentence-transformers says how tokens become one vector."""
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True})
    )
    (folder / "modules.json").write_text(
        json.dumps(
            [
                {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
                {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                {"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
            ]
        )
    )
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 64}))
