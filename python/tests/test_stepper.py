"""The step in the hand, against runs and closed forms."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import alembert

CART = """model "Cart"
parameter M = 2, m = 0.5, l = 1, gravity = 9.81
parameter F = 0
coordinate x, phi
kinetic M/2*x'^2 + m/2*(x'^2 + 2*l*cos(phi)*x'*phi' + l^2*phi'^2)
potential m*gravity*l*cos(phi)
force x = F
initial phi = 0.2
"""


def test_steps_are_those_of_a_run():
    run = alembert.simulate("models/double_pendulum.alm", "lobatto(3)", step=0.01, end=1)
    s = alembert.compile("models/double_pendulum.alm", "lobatto(3)", step=0.01)
    s.steps(100)
    assert np.array_equal(s.state, np.concatenate([run.q[-1], run.v[-1]]))
    assert abs(s.energy - run.energy[-1]) < 1e-13 and max(s.residuals[:2]) < 1e-13
    assert np.allclose(s.multipliers, run.multipliers[-1], atol=1e-9)


def test_constant_force():
    s = alembert.compile(alembert.model("parameter F = 0\ncoordinate x\nkinetic x'^2/2\nforce x = F\n"), "gauss(2)",
                         inputs=["F"], step=0.01)
    for _ in range(100):
        s.step(F=2.0)
    assert abs(s["x"] - 1) < 1e-13 and abs(s["x'"] - 2) < 1e-13 and s["F"] == 2
    s.steps(100, F=-2)
    assert abs(s["x'"]) < 1e-12 and abs(s["x"] - 2) < 1e-12


def test_controller_holds_the_pole():
    s = alembert.compile(alembert.model(CART), "lobatto(2)", inputs=["F"], step=0.001)
    record = s.run(10, every=10, F=lambda s: 80 * s.state[1] + 20 * s.state[3])
    assert abs(record["phi"][-1]) < 1e-3 and record["phi"].shape == record["F"].shape == (1001,)
    assert record.to_pandas()["phi"].iloc[0] == 0.2


def test_a_state_near_the_constraints_moves_onto_them():
    s = alembert.compile("models/double_pendulum.alm", step=0.01)
    s.steps(50)
    here = s.state
    s.state = here
    assert np.array_equal(s.state, here)
    s.state = here.astype(np.float32)
    assert np.abs(s.state - here).max() < 1e-6 and max(s.residuals[:2]) < 1e-13
    noise = np.random.default_rng(1).standard_normal(8)
    for size in (1e-12, 1e-9, 1e-3):
        s.state = here + size * noise
        assert max(s.residuals[:2]) < 1e-13 and 0 < np.abs(s.state - here).max() < 5 * size
    s.steps(10)


def test_vectors():
    model = alembert.model("parameter F[2] = (0, 0)\ncoordinate x[2]\nkinetic norm2(x')/2\nforce x = F\nobserve w: 2*x\n")
    s = alembert.compile(model, "gauss(2)", inputs=["F"], step=0.01)
    assert s.inputs == ["F[1]", "F[2]"]
    for _ in range(50):
        s.step(F=(2, -4))
    s.steps(50, F=np.array([2.0, -4.0]))
    assert np.allclose(s["x"], [1, -2], atol=1e-12) and np.allclose(s["x'"], [2, -4], atol=1e-12)
    assert np.array_equal(s["w"], 2 * s["x"]) and np.array_equal(s["F"], [2, -4]) and s["F[2]"] == -4
    s["x"] = [5, 6]
    s.set({"F": [0, 0], "x'": [1, 1]})
    s.steps(100)
    assert np.allclose(s["x"], [6, 7], atol=1e-12)
    s.restart(x=(1, 2))
    record = s.run(1, F=lambda s: [2.0, 2 * s.t])
    assert np.allclose(record["x"][0], [1, 2]) and record["F"].shape == (101, 2) and abs(record["x"][-1, 0] - 2) < 1e-12
    assert np.array_equal(s.run(steps=3, F=[1, 1])["F"][-1], [1, 1])


def test_set_restart_and_state():
    s = alembert.compile("models/double_pendulum.alm", inputs=["m2"])
    start = s.state
    s.steps(50)
    middle = s.state
    s.state = middle
    assert np.allclose(s.state, middle, atol=1e-15)
    s.state = np.asarray(start)
    assert np.array_equal(s.state, start)
    s.restart(m2=2)
    assert s["m2"] == 2 and s.t == 0
    s["x1'"] = 0.0
    s.h = -0.01
    s.step()
    assert s.t == -0.01 and s.h == -0.01


def test_copy_and_pickle():
    s = alembert.compile("models/double_pendulum.alm", "lobatto(3)", inputs=["m2"])
    s.steps(10, m2=1.5)
    others = [s.copy(), copy.copy(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s))]
    bytes_ = s.save()
    s.steps(100)
    for other in others:
        other.steps(100)
        assert np.array_equal(other.state, s.state) and other["m2"] == 1.5
    others[0].load(bytes_)
    others[0].steps(100)
    assert np.array_equal(others[0].state, s.state)


def test_simulate_from_a_stepper():
    s = alembert.compile("models/double_pendulum.alm", "lobatto(3)", step=0.01)
    s.steps(50)
    run = s.simulate(end=1)
    assert run.t[0] == 0.5 and s.t == 0.5
    s.steps(50)
    assert np.allclose(s.state, np.concatenate([run.q[-1], run.v[-1]]), atol=1e-12)


def test_threads_share_the_code():
    s = alembert.compile("models/double_pendulum.alm", "lobatto(3)", step=0.001)
    copies = [s.copy() for _ in range(4)]
    threads = [threading.Thread(target=c.steps, args=(20000,)) for c in copies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    s.steps(20000)
    assert all(np.array_equal(c.state, s.state) for c in copies)


def test_others_run_while_it_steps():
    s = alembert.compile("models/double_pendulum.alm", "lobatto(3)", step=1e-4)
    count = 0
    thread = threading.Thread(target=s.steps, args=(300000,))
    thread.start()
    while thread.is_alive():
        count += 1
        time.sleep(0.001)
    assert count > 3


def test_runs_in_threads():
    expected = alembert.simulate("models/double_pendulum.alm", end=2).rows
    found = []
    threads = [threading.Thread(target=lambda: found.append(alembert.simulate("models/double_pendulum.alm", end=2).rows))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(np.array_equal(f, expected) for f in found)


@pytest.mark.parametrize("work", [
    "alembert.compile('models/double_pendulum.alm').steps(10**12)",
    "alembert.simulate('models/double_pendulum.alm', end=1e9, every=10**9)",
    "alembert.sweep('models/double_pendulum.alm', m2=[1.0, 2.0, 3.0], end=1e9)",
    "alembert.converge('models/double_pendulum.alm', ['gauss(2)', 'gauss(4)'], steps=[1e-2, 1e-3, 5e-4], end=200)",
    "alembert.compile('models/pendulum.alm', inputs=['l']).run(steps=10**9, every=10**8, l=lambda s: 1.0)",
])
def test_interrupt(work):
    code = ("import alembert\nprint('ready', flush=True)\ntry:\n    " + work +
            "\nexcept KeyboardInterrupt as e:\n    print('stopped', getattr(e, 'run', None) is not None)\n")
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=20)
    assert out.startswith("stopped") and (("True" in out) == ("simulate" in work))


def test_events_act_and_stop():
    m = alembert.ModelBuilder("Ball")
    y = m.coordinate("y", 1)
    m.kinetic(m.rate(y)**2 / 2)
    m.potential(9.81 * y)
    m.stop(y, 0)
    s = m.compile("gauss(2)", step=0.01)
    record = s.run(5)
    assert abs(s.t - (2 / 9.81)**0.5) < 1e-12 and s.stopped and record.t[-1] == s.t
    with pytest.raises(alembert.RunError):
        s.step()


BALL = """coordinate y = 1
parameter n = 0, e = 0.8
kinetic y'^2/2
potential 9.81*y
event floor: y = 0 falling
event top: y' = 0 falling
when floor: y' = -e*y', n = n + 1
"""


def test_events_of_a_stepper():
    """Falls from 1: meets the floor after sqrt(2/g), and then after e, e^2, ... times twice that."""
    s = alembert.compile(alembert.model(BALL), "gauss(2)", step=0.01)
    assert s.event_names == ["floor", "top"] and s.events == []
    s.steps(200)
    fall = (2 / 9.81)**0.5
    expected = [("floor", fall), ("top", 1.8 * fall), ("floor", 2.6 * fall), ("top", 3.24 * fall), ("floor", 3.88 * fall), ("top", 4.392 * fall)]
    assert [e.name for e in s.events] == [name for name, _ in expected]
    assert np.allclose([e.t for e in s.events], [t for _, t in expected], atol=1e-10)
    assert abs(s.events[0]["y'"] - 0.8 * (2 * 9.81)**0.5) < 1e-9 and abs(s.events[0]["y"]) < 1e-12
    s.restart()
    met = []
    for _ in range(200):
        s.step()
        met += s.events
    assert [(e.name, e.t) for e in met][:2] == [(e.name, e.t) for e in alembert.model(BALL).simulate(
        "gauss(2)", step=0.01, end=2).events][:2]
    s.step()
    assert s.events == []
    s.restart()
    record = s.run(2.0)
    assert [e.name for e in record.events] == [name for name, _ in expected]
    again = pickle.loads(pickle.dumps(record))
    assert [(e.name, e.t, e["y"]) for e in again.events] == [(e.name, e.t, e["y"]) for e in record.events]
    with pytest.raises(KeyError):
        record.events[0]["z"]


def test_vectors_in_records_and_events():
    m = alembert.ModelBuilder("Point")
    r = m.coordinate("r", [1.0, 0.0], rate=[0.0, 1.0])
    m.kinetic(m.rate(r) @ m.rate(r) / 2)
    m.potential(r @ r / 2)
    m.event("axis", r[0])
    record = m.compile("gauss(3)", step=0.01).run(2)
    (event,) = record.events
    assert record["r"].shape == (201, 2) and record["r'"].shape == (201, 2) and record["r[2]"].shape == (201,)
    assert np.allclose(event["r"], [0, 1], atol=1e-10) and np.allclose(event["r'"], [-1, 0], atol=1e-10)


def test_contacts_step_by_step():
    ball = alembert.model("coordinate y = 1\nkinetic y'^2/2\npotential 9.81*y\ncontact floor: y >= 0 restitution 0.5\n")
    s = ball.compile("moreau", step=0.01)
    run = ball.simulate("moreau", step=0.01, end=1)
    for i in range(1, 101):
        s.step()
        assert np.array_equal(s.state, run.rows[i, 1:3])
    s = ball.compile("gauss(2)", step=0.01)
    s.steps(46)
    assert [(e.name, e.kind) for e in s.events] == [("floor", "impact")]
    assert abs(s.events[0].t - np.sqrt(2 / 9.81)) < 1e-12
    fallen = np.sqrt(2 / 9.81)
    assert abs(s["y"] - (0.5 * 9.81 * fallen * (0.46 - fallen) - 9.81 / 2 * (0.46 - fallen)**2)) < 1e-12


def test_restart_gives_what_it_moved():
    s = alembert.compile("models/pendulum.alm", step=0.01)
    assert s.restart() == []
    moved = s.restart(y=0.5)
    assert [m.name for m in moved] == ["x", "y"] and moved[1].given == 0.5
    assert moved[0].value == s["x"] and abs(s["x"]**2 + s["y"]**2 - 1) < 1e-15


def test_controllers_in_threads():
    """Several loops with controllers of Python at once give what each gives alone."""
    def loop(found, k):
        s = alembert.compile(alembert.model(CART), "lobatto(2)", inputs=["F"], step=0.01)
        found[k] = s.run(2, F=lambda s: (60 + k) * s.state[1] + 20 * s.state[3]).states[-1]

    alone, together = {}, {}
    for k in range(4):
        loop(alone, k)
    threads = [threading.Thread(target=loop, args=(together, k)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(alone[k], together[k]) for k in range(4))
