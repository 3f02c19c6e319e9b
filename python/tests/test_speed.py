"""What calling from Python costs, and that nothing is left behind."""

import gc
import time

import numpy as np
import pytest

import alembert


def best(function, times):
    """The least of some measurements, of the time that this thread computes: what else runs on the machine only adds."""
    seconds = []
    for _ in range(times):
        begin = time.thread_time()
        function()
        seconds.append(time.thread_time() - begin)
    return min(seconds)


def test_a_run_costs_less_than_5_ms_more():
    model = alembert.read("models/double_pendulum.alm")
    over = []
    for _ in range(12):
        begin = time.perf_counter()
        run = alembert.simulate(model, end=1)
        whole = time.perf_counter() - begin
        statistics = run.report.statistics
        over.append(whole - statistics.compile_seconds - statistics.run_seconds)
    print(f"overhead of simulate: {1e3 * min(over):.2f} ms")
    assert min(over) < 5e-3


def test_a_step_costs_less_than_a_microsecond_more():
    s = alembert.compile("models/double_pendulum.alm", "lobatto(2)", inputs=["m2"], step=1e-3)
    n = 20000
    s.steps(n)
    step = s.step

    def single():
        for _ in range(n):
            step(m2=1.0)

    def empty():
        for _ in range(n):
            pass

    over = (best(single, 7) - best(lambda: s.steps(n), 7) - best(empty, 3)) / n
    print(f"overhead of step: {1e9 * over:.0f} ns")
    assert over < 1e-6


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def test_no_leak_over_ten_thousand_runs():
    model = alembert.model("coordinate x = 1\nkinetic x'^2/2\npotential x^2/2\nsolve gauss(1) step 0.1 end 0.5\n")

    def some(count):
        for _ in range(count):
            run = model.simulate()
            run.q.sum()
            len(run.events)
        gc.collect()

    some(1000)
    before = resident()
    some(10000)
    grown = resident() - before
    print(f"grown by {grown / 1e6:.2f} MB in 10000 runs")
    assert grown < 10e6  # a kilobyte a run


def test_no_leak_of_steppers_and_errors():
    s = alembert.compile("models/pendulum.alm", inputs=["l"], step=0.01)

    def some(count):
        for _ in range(count):
            other = s.copy()
            other.steps(2)
            other.state = other.state
            for wrong in (lambda: other.step(F=1), lambda: alembert.model("kinetic x")):
                with pytest.raises(alembert.InputError):
                    wrong()
        gc.collect()

    some(300)
    before = resident()
    some(3000)
    assert resident() - before < 10e6


def test_rows_live_as_long_as_their_views():
    views = [alembert.simulate("models/pendulum.alm", step=0.01, end=1).q for _ in range(20)]
    gc.collect()
    assert all(np.array_equal(v, views[0]) for v in views)
