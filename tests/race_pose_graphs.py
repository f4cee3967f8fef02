#!/usr/bin/env python3
"""Pose graphs by GTSAM, by Ceres and by Thallo, from the same start.

    race_pose_graphs.py [GRAPH...] [--runs INT] [--backend NAME] [--csv FILE]

GRAPH is a .g2o file, also compressed by xz; without one, seven of THALLO_DATA_DIR/pose_graphs are taken. GTSAM and
Ceres are the wheels `gtsam` and `pyceres`. Without pyceres its rows are left out, and without gtsam nothing is run.
THALLO_PROGRAM is the program, by default that of build/release.

All minimize ½ Σ e' I e with the information of the file and hold the first pose. Poses that a file of the plane lacks
are chained by its edges, as GTSAM does it. Each makes its own default steps, several times, of which the least time
counts: `optimize()` alone, with warm kernels, without reading and compiling. The cost of each result is that by
Thallo's energy, because GTSAM weighs rotations a little differently. Ceres has its residuals and derivatives from
Python here; its time, of one run, is without them, less than it takes in C++. `thallo, default` starts where it wants
to, often by chordal relaxation, whose time is not in.
"""

import argparse
import csv
import importlib.util
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
if importlib.util.find_spec("gtsam") is None:
    print("gtsam is not there: skipped")
    sys.exit(SKIPPED)

import gtsam  # noqa: E402
import numpy as np  # noqa: E402

GRAPHS = (
    "sphere2500",
    "torus3D",
    "parking-garage",
    "input_M3500_g2o",
    "intel",
    "kitti_00",
    "CSAIL",
)
COLUMNS = ("graph", "program", "steps", "cost", "seconds", "seconds_to_cost_of_gtsam")
SECONDS_OF_RUNS = 60  # after which GTSAM solves a graph no more
AS_GOOD = 1 + 1e-5  # GTSAM stops where a step lowers its cost by less
ROOT = pathlib.Path(__file__).resolve().parent.parent


class Graph:
    """A file with all of its poses, and what GTSAM reads from it."""

    def __init__(self, file, folder):
        text = (lzma.open if file.suffix == ".xz" else open)(file, "rt").read()
        self.name = file.name.split(".")[0]
        self.edges = [line for line in text.splitlines() if line.startswith("EDGE")]
        self.is_spatial = self.edges[0].startswith("EDGE_SE3")
        self.file = folder / f"{self.name}.g2o"
        self.file.write_text(text)
        self.measured, self.start = gtsam.readG2o(str(self.file), self.is_spatial)
        if self.start.size() == 0:
            sys.exit(f"{file}: GTSAM chains no poses in space; name a file that has them")
        self.write(self.file, self.start)

    def pose_of(self, values, key):
        """As a line of the file has it: x y theta, or x y z and a quaternion x y z w."""
        if not self.is_spatial:
            pose = values.atPose2(key)
            return np.array([pose.x(), pose.y(), pose.theta()])
        pose = values.atPose3(key)
        turn = pose.rotation().toQuaternion()
        return np.array([*pose.translation(), turn.x(), turn.y(), turn.z(), turn.w()])

    def write(self, file, values):
        """The measurements as they are, and these poses."""
        kind = "VERTEX_SE3:QUAT" if self.is_spatial else "VERTEX_SE2"
        poses = [(key, map(repr, self.pose_of(values, key).tolist())) for key in values.keys()]
        lines = [f"{kind} {key} {' '.join(numbers)}" for key, numbers in poses]
        file.write_text("\n".join(lines + self.edges) + "\n")

    def cost(self, values):
        """By Thallo's energy."""
        file = self.file.with_suffix(".solved.g2o")
        self.write(file, values)
        return thallo(file, "--initialize", "none", "--set", "nIterations=0")["initial_cost"]


def thallo(file, *flags, backend="cpu"):
    program = os.environ.get("THALLO_PROGRAM") or ROOT / "build/release/bin/thallo"
    command = [
        program,
        "solve",
        "pose_graph",
        "--file",
        file,
        "--backend",
        backend,
        *flags,
        "--json",
    ]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        sys.exit(f"{file}: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


def race_gtsam(graph, runs):
    held = min(graph.start.keys())
    factors = gtsam.NonlinearFactorGraph(graph.measured)
    pose = graph.start.atPose3(held) if graph.is_spatial else graph.start.atPose2(held)
    prior = gtsam.PriorFactorPose3 if graph.is_spatial else gtsam.PriorFactorPose2
    surely = gtsam.noiseModel.Isotropic.Sigma(6 if graph.is_spatial else 3, 1e-6)
    factors.add(prior(held, pose, surely))
    taken = []
    while len(taken) < runs and sum(taken) < SECONDS_OF_RUNS:
        optimizer = gtsam.LevenbergMarquardtOptimizer(factors, graph.start)
        begin = time.perf_counter()
        result = optimizer.optimize()
        taken.append(time.perf_counter() - begin)
    return {"steps": optimizer.iterations(), "seconds": min(taken), "cost": graph.cost(result)}


def error_of(a, b, measured):
    """The errors of an edge, a column for each pair of poses. Poses may be complex: then derivatives
    are in the imaginary parts, to all digits (Squire, Trapp: Using complex variables to estimate
    derivatives of real functions, 1998)."""
    if len(measured) == 3:
        cosine, sine = np.cos(a[2]), np.sin(a[2])
        x, y = b[0] - a[0], b[1] - a[1]
        x, y = cosine * x + sine * y - measured[0], cosine * y - sine * x - measured[1]
        cosine, sine = np.cos(measured[2]), np.sin(measured[2])
        turn = b[2] - a[2] - measured[2]
        turn = turn - 2 * np.pi * np.round(turn.real / (2 * np.pi))
        return np.stack([cosine * x + sine * y, cosine * y - sine * x, turn])
    turn = times(inverse(measured[3:]), times(inverse(a[3:]), b[3:]))
    shift = rotate(inverse(a[3:]), b[:3] - a[:3]) - measured[:3]
    near = np.where(turn[3].real >= 0, 2, -2)  # q and -q are the same
    return np.concatenate([rotate(inverse(measured[3:]), shift), near * turn[:3]])


def inverse(q):
    return np.concatenate([-q[:3], q[3:]])


def cross(a, b):
    return np.stack([a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))])


def times(p, q):
    v = p[3] * q[:3] + q[3] * p[:3] + cross(p, q)
    return np.stack([*v, p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]])


def rotate(q, v):
    twice = 2 * cross(q, v)
    return v + q[3] * twice + cross(q, twice)


def race_ceres(graph):
    import pyceres

    # A pose in space is two blocks: its place, and its quaternion.
    blocks = [slice(0, 3), slice(3, 7)] if graph.is_spatial else [slice(0, 3)]
    size = 7 if graph.is_spatial else 3
    ends_of_blocks = [3, 7, 10] if graph.is_spatial else [3]

    class Edge(pyceres.CostFunction):
        def __init__(self, measured, root):
            pyceres.CostFunction.__init__(self)
            self.measured, self.root = measured, root
            self.set_num_residuals(len(root))
            self.set_parameter_block_sizes([its.stop - its.start for its in blocks] * 2)

        def Evaluate(self, parameters, residuals, jacobians):
            poses = np.concatenate(parameters)[:, None]
            measured = self.measured[:, None]
            residuals[:] = self.root @ error_of(poses[:size], poses[size:], measured)[:, 0]
            if jacobians is not None:
                moved = poses + 1e-30j * np.eye(len(poses))
                error = error_of(moved[:size], moved[size:], measured)
                columns = np.split(self.root @ error.imag / 1e-30, ends_of_blocks, axis=1)
                for jacobian, its in zip(jacobians, columns):
                    if jacobian is not None:
                        jacobian[:] = its.ravel()
            return True

    poses = {
        key: [graph.pose_of(graph.start, key)[its].copy() for its in blocks]
        for key in graph.start.keys()
    }
    problem = pyceres.Problem()
    costs = []
    rows, columns = np.triu_indices(3 * len(blocks))
    for line in graph.edges:
        words = line.split()
        numbers = np.array(words[3:], dtype=float)
        information = np.zeros((3 * len(blocks),) * 2)
        information[rows, columns] = information[columns, rows] = numbers[size:]
        measured = numbers[:size]
        if graph.is_spatial:
            measured[3:] /= np.linalg.norm(measured[3:])
        costs.append(Edge(measured, np.linalg.cholesky(information).T))
        ends = poses[int(words[1])] + poses[int(words[2])]
        problem.add_residual_block(costs[-1], None, ends)
    if graph.is_spatial:
        for _, turn in poses.values():
            problem.set_manifold(turn, pyceres.EigenQuaternionManifold())
    for block in poses[min(poses)]:
        problem.set_parameter_block_constant(block)
    options, summary = pyceres.SolverOptions(), pyceres.SolverSummary()
    options.linear_solver_type = pyceres.LinearSolverType.SPARSE_NORMAL_CHOLESKY
    options.max_num_iterations = 200
    options.max_solver_time_in_seconds = 300  # most of which Python takes
    pyceres.solve(options, problem, summary)
    evaluation = summary.residual_evaluation_time_in_seconds
    evaluation += summary.jacobian_evaluation_time_in_seconds
    return {
        "steps": summary.num_successful_steps + summary.num_unsuccessful_steps - 1,
        "cost": summary.final_cost,  # its error is that of Thallo's energy
        "seconds": summary.minimizer_time_in_seconds - evaluation,
    }


def race_thallo(graph, runs, backend, wanted, *flags):
    solves = []
    for _ in range(runs + 1):  # the first one compiles the kernels
        (solve,) = thallo(graph.file, *flags, backend=backend)["solves"]
        solves.append(solve)
    soonest = [
        record["total_seconds"]
        for solve in solves[1:]
        for record in solve["records"]
        if record["accepted"] and record["cost"] <= wanted * AS_GOOD
    ]
    return {
        "steps": solves[0]["iterations"],
        "cost": solves[0]["final_cost"],
        "seconds": min(solve["seconds"] for solve in solves[1:]),
        "seconds_to_cost_of_gtsam": min(soonest, default=None),
    }


def rows_of(graph, flags):
    first = race_gtsam(graph, flags.runs)
    yield {"program": "gtsam", **first, "seconds_to_cost_of_gtsam": first["seconds"]}
    if importlib.util.find_spec("pyceres") is not None:
        yield {"program": "ceres", **race_ceres(graph)}
    how = (graph, flags.runs, flags.backend, first["cost"])
    yield {"program": "thallo", **race_thallo(*how, "--initialize", "none")}
    yield {"program": "thallo, default", **race_thallo(*how)}


def text_of(value):
    return f"{value:.6g}" if isinstance(value, float) else "-" if value is None else str(value)


def main():
    shown = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=shown)
    parser.add_argument("graphs", metavar="GRAPH", nargs="*", type=pathlib.Path)
    parser.add_argument("--runs", metavar="INT", type=int, default=5)
    parser.add_argument("--backend", metavar="NAME", default="auto")
    parser.add_argument("--csv", metavar="FILE", type=pathlib.Path)
    flags = parser.parse_args()
    data = pathlib.Path(os.environ.get("THALLO_DATA_DIR") or os.devnull, "pose_graphs")
    files = flags.graphs or [data / f"{name}.g2o.xz" for name in GRAPHS]
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        sys.exit(f"{missing[0]} is not there; name a file, or set THALLO_DATA_DIR")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS), flush=True)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            graph = Graph(file, pathlib.Path(folder))
            for row in rows_of(graph, flags):
                rows.append({"graph": graph.name, **row})
                cells = [text_of(rows[-1].get(column)) for column in COLUMNS]
                print("| " + " | ".join(cells) + " |", flush=True)
    if flags.csv:
        with flags.csv.open("w", newline="") as out:
            writer = csv.DictWriter(out, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
