#!/usr/bin/env python3
"""Makes the pictures of the problems (ProblemInfo::picture) from the reports of runs on the input
that each problem makes itself. Needs the module PIL, as no part of the build does.

    python3 problems/make_pictures.py build/release/bin/thallo [NAME ...]

A picture is 480 x 300 pixels. Where before and after are views of one scene it is one scene cut by
white lines, else both stand beside or below each other on white."""

import pathlib
import subprocess
import sys
import tempfile

from PIL import Image, ImageChops

WIDTH, HEIGHT = 480, 300
MARGIN, LINE = 10, 2


def on_white(image, width, height):
    """What is not white of an image, as large as it fits, in the middle."""
    box = ImageChops.difference(image, Image.new("RGB", image.size, "white")).getbbox()
    image = image.crop(box)
    scale = min((width - 2 * MARGIN) / image.width, (height - 2 * MARGIN) / image.height)
    image = image.resize((round(image.width * scale), round(image.height * scale)), Image.LANCZOS)
    sheet = Image.new("RGB", (width, height), "white")
    sheet.paste(image, ((width - image.width) // 2, (height - image.height) // 2))
    return sheet


def panels(image, count):
    """The panels of an image that has them side by side."""
    width = image.width // count
    return [image.crop((i * width, 0, (i + 1) * width, image.height)) for i in range(count)]


def side_by_side(images):
    width = WIDTH // len(images)
    sheet = Image.new("RGB", (WIDTH, HEIGHT), "white")
    for i, image in enumerate(images):
        sheet.paste(on_white(image, width, HEIGHT), (i * width, 0))
    return sheet


def stacked(images):
    height = HEIGHT // len(images)
    sheet = Image.new("RGB", (WIDTH, HEIGHT), "white")
    for i, image in enumerate(images):
        sheet.paste(on_white(image, WIDTH, height), (0, i * height))
    return sheet


def cover(image, width, height, x=0.5, y=0.5):
    """The largest part of an image that has this shape, placed at (x, y) of what is left over."""
    scale = max(width / image.width, height / image.height)
    image = image.resize((round(image.width * scale), round(image.height * scale)), Image.LANCZOS)
    left, top = round((image.width - width) * x), round((image.height - height) * y)
    return image.crop((left, top, left + width, top + height))


def columns(count):
    """From where to where parts reach that have a white line between them."""
    return [(i * WIDTH // count + (LINE if i else 0), (i + 1) * WIDTH // count) for i in range(count)]


def cut_scene(images, y=0.5):
    """Neighboring parts of views of one scene."""
    sheet = Image.new("RGB", (WIDTH, HEIGHT), "white")
    for image, (left, right) in zip(images, columns(len(images))):
        sheet.paste(cover(image, WIDTH, HEIGHT, y=y).crop((left, 0, right, HEIGHT)), (left, 0))
    return sheet


def same_part(images, x, y=0.5):
    """The same part of views of one scene."""
    sheet = Image.new("RGB", (WIDTH, HEIGHT), "white")
    for image, (left, right) in zip(images, columns(len(images))):
        sheet.paste(cover(image, right - left, HEIGHT, x, y), (left, 0))
    return sheet


# By problem: options of the run, and the picture from the images of its report.
RECIPES = {
    "arap_mesh_deformation": ([], lambda r: side_by_side(panels(r["before_after"], 2))),
    "bundle_adjustment": ([], lambda r: cut_scene(panels(r["scene"], 2))),
    # The upper half of that picture is what the first camera sees.
    "bundle_fusion": (
        [],
        lambda r: same_part([p.crop((0, 0, 464, 345)) for p in panels(r["before_after"], 2)], 0.6),
    ),
    "cotangent_mesh_smoothing": ([], lambda r: side_by_side(panels(r["before_after"], 2))),
    "curve_fit": ([], lambda r: on_white(r["fit"], WIDTH, HEIGHT)),
    "deconvolution": (["--size", "360"], lambda r: cut_scene([r["before"], r["after"]], 0.35)),
    "embedded_mesh_deformation": ([], lambda r: side_by_side(panels(r["before_after"], 2))),
    "face_fitting": ([], lambda r: side_by_side(panels(r["before_after"], 3))),
    "image_warping": (["--size", "240"], lambda r: side_by_side([r["before"], r["after"]])),
    "intrinsic_image_decomposition": (
        ["--size", "300"],
        lambda r: same_part([r["picture"], r["albedo"], r["shading"]], 0.45),
    ),
    "optical_flow": (
        ["--size", "240", "--method", "robust"],
        lambda r: same_part([r["first"], r["flow"]], 0.5),
    ),
    "poisson_image_editing": (
        ["--size", "300"],
        lambda r: same_part([r["pasted"], r["edited"]], 0.8),
    ),
    "pose_graph": ([], lambda r: side_by_side(panels(r["before_after"], 2))),
    "procrustes_alignment": ([], lambda r: side_by_side(panels(r["before_after"], 2))),
    "robust_nonrigid_alignment": (
        ["--around", "24"],
        lambda r: stacked(panels(r["before_after"], 3)[1:]),
    ),
    "shape_and_shading": (
        ["--size", "240"],
        lambda r: side_by_side([r["measured"], r["refined"], r["light"]]),
    ),
    "shape_from_shading": (["--size", "240"], lambda r: side_by_side([r["measured"], r["refined"]])),
    "spatially_varying_deconvolution": (
        ["--size", "360"],
        lambda r: cut_scene([r["before"], r["after"]], 0.35),
    ),
    "volumetric_mesh_deformation": ([], lambda r: side_by_side(panels(r["before_after"], 2))),
}


def few_colors(picture):
    """At most 96 colors, or 64 grays: the file is a third as large."""
    gray = picture.convert("L")
    if not ImageChops.difference(gray.convert("RGB"), picture).getbbox():
        return gray.point(lambda value: 255 * round(value * 63 / 255) // 63)
    if picture.getpixel((0, 0)) == (255, 255, 255):
        return picture.quantize(96)
    # Dithering hides steps in smooth colors, and would make white a light gray.
    return picture.quantize(palette=picture.quantize(96))


def make(thallo, name):
    options, compose = RECIPES[name]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([thallo, "solve", name, *options, "--out", folder, "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        images = {p.stem: Image.open(p).convert("RGB") for p in pathlib.Path(folder).glob("*.png")}
    picture = compose(images)
    here = pathlib.Path(__file__).parent
    [folder] = [p.parent for p in here.glob(f"*/{name}.png")] or [here / name]
    few_colors(picture).save(folder / f"{name}.png", optimize=True)
    print(folder / f"{name}.png")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for problem in sys.argv[2:] or RECIPES:
        make(sys.argv[1], problem)
