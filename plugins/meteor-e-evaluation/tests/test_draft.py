from __future__ import annotations

import gzip

import pytest
from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.draft import draft_index
from meteor_e_evaluation.index import load_index
from tiny_task import OUTPUTS, REFERENCE

from meteor_e.base.errors import InputError
from meteor_e.base.yamlfile import dump_yaml

RANKS = "3\t{pair}\t{a}\t{pair}\t{b}\n"


def lay_out(folder, *, reference, output, judgements, content):
    for pair in ("cs-en", "en-cs"):
        source, target = pair.split("-")
        names = {"pair": pair, "source": source, "target": target}
        file = folder / "references" / reference.format(**names)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(REFERENCE) + "\n", encoding="utf-8")
        for system, lines in OUTPUTS.items():
            file = folder / "system-outputs" / pair / output.format(system=system, **names)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        file = folder / "judgements" / judgements.format(**names)
        file.parent.mkdir(exist_ok=True)
        text = content.replace("PAIR", pair)
        file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())


@pytest.mark.parametrize(
    ("reference", "output", "content", "system"),
    [
        ("t-ref.{target}", "t.{pair}.{system}", "3\tPAIR\tt.PAIR.alpha\tPAIR\tt.PAIR.gamma.x\n", "t.{pair}.{system}"),
        ("t-{source}{target}-ref.{target}", "t.{system}.{pair}", "3\tPAIR\talpha\tPAIR\tgamma.x\n", None),
        (
            "t.{pair}.ref.A.{target}",
            "t.{pair}.hyp.{system}.{target}",
            "3\tPAIR\talpha.1\tPAIR\tbeta.22\n",
            "{system}.{number}",
        ),
    ],
)  # fmt: skip
def test_a_draft_reads_what_is_laid_out_like_wmt(tmp_path, reference, output, content, system):
    lay_out(tmp_path, reference=reference, output=output, judgements="{pair}.rank.gz", content=content)
    draft = draft_index(tmp_path)
    assert draft["references"] == f"references/{reference}"
    assert draft["outputs"] == f"system-outputs/{{pair}}/{output}"
    assert draft["judgements"][0].get("system") == system
    index = tmp_path / "index.yaml"
    index.write_text(dump_yaml(draft), encoding="utf-8")
    for pair in ("cs-en", "en-cs"):
        test = load_test_set(load_index(index), pair)
        assert test.systems[0] == "alpha"
        assert len(test.rankings) == 1


def test_a_draft_of_direct_assessment(tmp_path):
    lay_out(
        tmp_path,
        reference="t-ref.{target}",
        output="t.{system}.{pair}",
        judgements="scores-{pair}.csv",
        content="SYS SID RAW.SCR Z.SCR N\nbeta.2 1 50 0.5 1\n",
    )
    draft = draft_index(tmp_path)
    assert draft["measures"] == ["pearson"]
    (spec,) = draft["judgements"]
    assert spec == {"file": "judgements/scores-{pair}.csv", "format": "da-segments", "system": "{system}.{number}"}


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(InputError, match="no folders system-outputs/SOURCE-TARGET"):
        draft_index(tmp_path)
    lay_out(tmp_path, reference="t-ref.{target}", output="t.{system}", judgements="notes", content="nothing")
    with pytest.raises(InputError, match="no file of judgments of a known form"):
        draft_index(tmp_path)
    (tmp_path / "references" / "t-ref.cs").unlink()
    with pytest.raises(InputError, match=r"no name of a reference fits all of cs-en, en-cs; it holds t-ref\.en"):
        draft_index(tmp_path)
