"""Docstrings, pages and stubs: every example runs, and the stub says what the module has."""

import ast
import doctest
import functools
import importlib
import inspect
import pathlib
import pkgutil
import re
import shutil
import subprocess
import sys

import pytest

import alembert
from alembert import _core

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(alembert.__file__).parent
PAGES = [ROOT / "README.md", ROOT / "docs/python.md", *sorted((ROOT / "docs/python").glob("*.md"))]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run(test):
    told = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=told.append)
    assert runner.failures == 0, "".join(told)
    return runner.tries


@pytest.mark.parametrize("name", [m.name for m in pkgutil.iter_modules([str(PACKAGE)]) if not m.name == "_core"])
def test_docstrings(name):
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(f"alembert.{name}")):
        run(test)


@pytest.mark.parametrize("page", PAGES, ids=[p.stem for p in PAGES])
def test_page(page, tmp_path, monkeypatch):
    """The blocks of a page are one session, in a folder of its own that has the models."""
    shutil.copytree(ROOT / "models", tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    text = page.read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert blocks, "a page without an example"
    parser = doctest.DocTestParser()
    examples = []
    for block in blocks:
        found = parser.get_examples(block)
        assert found, f"a block without >>>:\n{block}"
        examples += found
    test = doctest.DocTest(examples, {}, page.name, str(page), 0, None)
    assert run(test) >= len(examples)


def test_pages_are_listed():
    listed = (ROOT / "docs/README.md").read_text() + (ROOT / "docs/python.md").read_text()
    for page in PAGES[1:]:
        assert page.name in listed, f"{page.name} is in no list"


def test_every_public_thing_has_an_example():
    for name in alembert.__all__:
        if name != "__version__":
            assert ">>>" in getattr(alembert, name).__doc__, name


def test_every_public_member_has_a_docstring():
    for name in alembert.__all__:
        thing = getattr(alembert, name)
        if not inspect.isclass(thing):
            continue
        for member in dir(thing):
            if member.startswith("_") or member in dir(Exception):
                continue
            found = inspect.getattr_static(thing, member)
            if callable(found) or isinstance(found, (property, functools.cached_property)):
                assert getattr(thing, member).__doc__ or found.__doc__, f"{name}.{member}"


def test_the_page_names_every_public_thing():
    page = (ROOT / "docs/python.md").read_text()
    for name in alembert.__all__:
        assert name in page, f"docs/python.md does not speak of {name}"


def test_stub():
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    stub = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    real = {name for name in dir(_core) if not name.startswith("__")}
    assert real == set(stub), real ^ set(stub)
    for name, node in stub.items():
        if isinstance(node, ast.ClassDef):
            written = {n.name for n in node.body if isinstance(n, ast.FunctionDef)} | \
                {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
            has = {m for m in vars(getattr(_core, name)) if not m.startswith("_")}
            assert has == {w for w in written if not w.startswith("_")}, (name, has ^ written)


def test_typed():
    """All of it, so that type checkers know what every call takes and gives."""
    assert (PACKAGE / "py.typed").exists()
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name != "call":
                arguments = [a for a in node.args.args + node.args.kwonlyargs if a.arg != "self"]
                assert node.returns or node.name == "__init__", f"{path.name}: {node.name}"
                assert all(a.annotation for a in arguments), f"{path.name}: {node.name}"


def test_a_type_checker_is_content(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "user.py").write_text("import alembert\n"
                                      "run: alembert.Run = alembert.simulate('models/pendulum.alm', step=0.01, l=2.0)\n"
                                      "x: float = run['x'][0] + run.report.energy.max_error\n"
                                      "s: alembert.Stepper = alembert.compile('models/pendulum.alm', inputs=['l'])\n"
                                      "s.step(l=1.0)\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", tmp_path / "cache", "--disallow-untyped-defs",
                           "--ignore-missing-imports", PACKAGE, tmp_path / "user.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
