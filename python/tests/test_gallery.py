"""The gallery from Python has the bits that the program writes."""

import pathlib

import numpy as np
import pytest

import alembert

MODELS = sorted(p.name for p in pathlib.Path(__file__).resolve().parents[2].glob("models/*.alm"))


def short_end(model):
    """Some tens of steps are enough: a difference in any bit shows at once. Contacts need their time to close."""
    if "\ncontact " in model.text():
        return model.end
    return min(model.end, 40 * model.step) if model.step > 0 else max(model.end, 40 * model.step)


@pytest.mark.parametrize("name", MODELS)
def test_same_bits(name, program, tmp_path):
    model = alembert.read(f"models/{name}")
    end = short_end(model)
    file = tmp_path / "program.h5"
    program("run", f"models/{name}", "--end", repr(end), "--out", file, "--quiet", codes=(0, 1))
    run = alembert.simulate(model, end=end, raises=False)
    written = alembert.load(file)
    assert written.names == run.names
    assert np.array_equal(written.rows, run.rows, equal_nan=True)
    assert [e.name for e in written.events] == [e.name for e in run.events]
    assert [e.t for e in written.events] == [e.t for e in run.events]
    # Time stepping has impulses of whole steps and no events; the tippe top rolls and slides without an impact.
    if "\ncontact " in model.text() and "\nsolve moreau" not in model.text() and name != "tippe_top.alm":
        assert any(e.kind for e in run.events)
    run.save(tmp_path / "python.h5")
    again = alembert.load(tmp_path / "python.h5")
    assert np.array_equal(again.rows, run.rows, equal_nan=True)


def test_there_is_a_gallery():
    assert len(MODELS) > 20


def test_same_report(program, tmp_path):
    import json
    # With rows, as Python always has them: multipliers are then found with more care.
    told = json.loads(program("run", "models/double_pendulum.alm", "--end", "2", "--json", "--out", tmp_path / "rows.csv"))
    run = alembert.simulate("models/double_pendulum.alm", end=2)
    for tree in (told, run.report._tree):
        for key in ("compile_seconds", "run_seconds"):
            tree["statistics"].pop(key)
    assert told == run.report._tree


def test_versions_agree(program):
    assert alembert.__version__ in program("--version")
