"""published inputs and counts: costs and times

Costs are compared with the cpu backend in double, times with hand-written solvers.
"""

from ..progress import Progress
from ..table import Column, Table
from .columns import make_table
from .solves import Cases, Solves

_CASES = {
    "image_warping 512 x 512": "image_warping --file @opt_thallo/cat512.png",
    "poisson_image_editing 448 x 320": "poisson_image_editing --file @opt_thallo/poisson0.png"
    " --source @opt_thallo/poisson1.png --mask @opt_thallo/poisson_mask.png",
    "shape_from_shading 640 x 480": "shape_from_shading"
    " --file @opt_thallo/shape_from_shading/default.SFSSolverParameters",
    "arap_mesh_deformation, armadillo": "arap_mesh_deformation"
    " --file @opt_thallo/small_armadillo.ply --subdivisions 1",
    "arap_mesh_deformation, dragon": "arap_mesh_deformation --file @meshes/dragon_vrip_res2.ply.gz"
    " --solves 1",
    "cotangent_mesh_smoothing, head": "cotangent_mesh_smoothing --file @opt_thallo/head.ply",
    "intrinsic_image_decomposition": "intrinsic_image_decomposition"
    " --file @opt_thallo/ye_high2.png",
    "optical_flow, dogdance": "optical_flow --file @opt_thallo/dogdance0.png"
    " --second @opt_thallo/dogdance1.png",
    "procrustes_alignment, raptor": "procrustes_alignment"
    " --file @opt_thallo/raptor_simplify2k.off --subdivisions 1 --noise 0 --missing 0 --shift 0",
    "embedded_mesh_deformation, raptor": "embedded_mesh_deformation"
    " --file @opt_thallo/raptor_simplify2k.off",
    "volumetric_mesh_deformation, head": "volumetric_mesh_deformation --file @opt_thallo/head.ply"
    " --shift-x 2.5 --shift-y -2.5",
    "robust_nonrigid_alignment, first squat": "robust_nonrigid_alignment"
    " --file @opt_thallo/squat_source.obj.xz --target @opt_thallo/squat_target/mesh_0043.obj.xz"
    " --tetrahedra @opt_thallo/squat_tetmesh.ele.xz --targets 1",
    "shape_and_shading 640 x 480": "shape_and_shading"
    " --file @opt_thallo/shape_from_shading/default.SFSSolverParameters",
    "face_fitting, 11,248 vertices, 140 shapes": "face_fitting"
    " --file @blendshapes/ict_deltas_head11248.bin.xz",
    "deconvolution 1168 x 783, 15 x 15": "deconvolution"
    " --file @opt_thallo/simple_proximal/b1.tif.xz",
    "deconvolution 1168 x 783, 11 x 11": "deconvolution"
    " --file @opt_thallo/simple_proximal/b1.tif.xz --kernel-size 11",
    "spatially_varying_deconvolution 1154 x 769": "spatially_varying_deconvolution"
    " --file @opt_thallo/sv_deconv/b1.tif.xz",
}
# µs that a linear iteration of the hand-written CUDA solver takes on an H200, everything included.
_HAND_WRITTEN = {
    "image_warping 512 x 512": 46.3,
    "poisson_image_editing 448 x 320": 25.6,
    "shape_from_shading 640 x 480": 51.3,
    "arap_mesh_deformation, armadillo": 18.6,
    "arap_mesh_deformation, dragon": 45.3,
    "volumetric_mesh_deformation, head": 17.7,
}
_KEYS = ("backend", "precision", "unknowns", "iterations", "linear_iterations", "final_cost")


def measure(solves: Solves) -> Table:
    table = make_table(
        "published",
        "Published inputs, sizes and counts of iterations",
        "case",
        "backend",
        final_cost=Column("final cost", ".6e"),
        seconds=Column("s in all", ".3f"),
    )
    cases = Cases(_CASES, solves.only)
    names = Progress("published", cases.found)
    for name in names:
        reference = None
        for backend in ("cpu", "") if solves.backend == "cuda" else ("",):
            names.at(f"{name} on {backend or solves.backend}")
            precision = "double" if backend else "float"
            run = solves.solve(*cases.found[name], "--published", precision=precision, backend=backend)
            cost, linear = run["final_cost"], run["linear_iterations"]
            table.add(
                case=name,
                **{key: run[key] for key in _KEYS},
                difference_percent=100 * (cost / reference - 1) if reference else None,
                us_per_linear_iteration=1e6 * run["seconds"]["linear"] / linear if linear else None,
                hand_written_us=_HAND_WRITTEN.get(name) if run["backend"] == "cuda" else None,
                seconds=run["seconds"]["solve"],
            )
            reference = cost
    table.notes.append(
        "Hand-written: a linear iteration of the CUDA solvers published beside the energies, "
        "measured on an H200."
    )
    table.notes += cases.notes
    return table
