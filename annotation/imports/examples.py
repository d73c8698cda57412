"""A small invented file of each format, to read and to try an import with."""

NQ_OPEN = """{"question": "when did the thames tunnel open", "answer": ["25 March 1843"]}
{"question": "who built the menai bridge", "answer": ["Thomas Telford", "Telford"]}
"""

AMBIGNQ = """[
  {
    "id": "tunnel",
    "question": "When did the Thames Tunnel open?",
    "annotations": [
      {
        "type": "multipleQAs",
        "qaPairs": [
          {"question": "When did the Thames Tunnel open to walkers?", "answer": ["25 March 1843"]},
          {"question": "When did the Thames Tunnel open to trains?", "answer": ["7 December 1869"]}
        ]
      }
    ]
  },
  {
    "id": "bridge",
    "question": "Who built the Menai Bridge?",
    "annotations": [{"type": "singleAnswer", "answer": ["Thomas Telford", "Telford"]}]
  }
]
"""

ASQA = """{
  "dev": {
    "tunnel": {
      "ambiguous_question": "When did the Thames Tunnel open?",
      "qa_pairs": [
        {
          "question": "When did the Thames Tunnel open to walkers?",
          "short_answers": ["25 March 1843"],
          "context": "No context provided",
          "wikipage": "Thames Tunnel"
        },
        {
          "question": "When did the Thames Tunnel open to trains?",
          "short_answers": ["7 December 1869"],
          "context": "No context provided",
          "wikipage": "Thames Tunnel"
        }
      ],
      "wikipages": [],
      "annotations": []
    }
  }
}
"""

LABEL_STUDIO = """[
  {
    "id": 1,
    "data": {
      "question": "When did the Thames Tunnel open?",
      "context": "The tunnel opened to walkers on 25 March 1843."
    },
    "annotations": [
      {
        "was_cancelled": false,
        "result": [
          {"from_name": "answer", "to_name": "question", "type": "textarea",
           "value": {"text": ["25 March 1843"]}},
          {"from_name": "evidence", "to_name": "context", "type": "labels",
           "value": {"start": 32, "end": 45, "text": "25 March 1843", "labels": ["Evidence"]}}
        ]
      }
    ]
  }
]
"""

DOCCANO = """{"id": 1, "text": "When did the Thames Tunnel open?", "label": ["25 March 1843"], \
"Comments": []}
{"id": 2, "text": "Who built the Menai Bridge?", "label": ["Thomas Telford"], "Comments": []}
"""

JSONL = """{"id": "tunnel", "question": "when did the thames tunnel open"}
{"id": "bridge", "question": "who built the menai bridge", "split": "dev", "answers": ["Telford"]}
"""

TABLE = """id,question,split,answers
tunnel,when did the thames tunnel open,dev,25 March 1843|7 December 1869
bridge,"who built the Menai Bridge, the first one",dev,Thomas Telford
"""
