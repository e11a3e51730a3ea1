"""Tests of the data that a report embeds in its page."""

from __future__ import annotations

import base64
import gzip
import json

import pytest
from meteor_e_evaluation.reports import score_systems
from meteor_e_evaluation.reports.payload import encode
from report_systems import REFERENCES, SYSTEMS


def unpack_payload(report):
    """Encode a report; return the decoded data."""
    return json.loads(gzip.decompress(base64.b64decode(encode(report))))


def test_payload_has_every_alignment(report):
    data = unpack_payload(report)
    words = data["vocabulary"]
    for system, entry in zip(report.systems, data["systems"], strict=True):
        assert entry["name"] == system.name
        assert entry["hypotheses"] == SYSTEMS[system.name]
        for index, segment in enumerate(system.segments):
            alignment = segment.alignment
            assert tuple(words[word] for word in entry["hypothesisWords"][index]) == alignment.hypothesis
            reference = data["referenceWords"][index][str(segment.reference_index)]
            assert tuple(words[word] for word in reference) == alignment.reference
            fields = entry["matches"][index]
            matches = [tuple(fields[start : start + 5]) for start in range(0, len(fields), 5)]
            assert matches == [match[:5] for match in alignment.matches]
            assert entry["referenceIndices"][index] == segment.reference_index
    assert data["references"] == REFERENCES


@pytest.mark.parametrize("text", ["nul \x00 x", "\u202eright", "</script>]]><!--", "\u2028 x", "\U0001f600"])
def test_payload_preserves_any_text(meteor, text):
    data = unpack_payload(score_systems(meteor, {text: [text]}, [text], method=None))
    assert data["systems"][0]["name"] == text
    assert data["systems"][0]["hypotheses"] == [text]
    assert data["references"] == [[text]]
