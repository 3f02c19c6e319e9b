"""Tests run in the root of the repository, as the commands of the documentation do; what they write goes elsewhere."""

import os
import pathlib
import subprocess
import warnings

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)
    warnings.simplefilter("ignore")


@pytest.fixture
def program():
    """Calls the program that was built beside the package; gives its standard output."""
    path = os.environ.get("ALEMBERT_PROGRAM", str(ROOT / "build/release/bin/alembert"))

    def call(*arguments, codes=(0,)):
        # What a sanitizer must load before the interpreter is not for the program.
        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, env=environment)
        assert done.returncode in codes, done.stderr
        return done.stdout

    return call
