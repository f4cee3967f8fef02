"""warping.py: makes warping.gif, the fish of image_warping after each of its 19 solves.

It needs the package thallo and ImageMagick."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import thallo

SIZE, SCALE, SAMPLES = 128, 3, 12  # pixels, pixels of the frame for each, points of a pixel along x and y

folder = Path(tempfile.mkdtemp())
warping = thallo.problems.image_warping(size=SIZE)
subprocess.run(["thallo", "solve", "image_warping", "--size", str(SIZE), "--solves", "1", "--set", "nIterations=0",
                "--quiet", "--out", folder], check=True, stdout=subprocess.DEVNULL)
ppm = subprocess.run(["convert", folder / "after.png", "-depth", "8", "rgb:-"], check=True, capture_output=True).stdout
colors = np.frombuffer(ppm, np.uint8).reshape(-1, SIZE, 3)[:SIZE].astype(float)
moves = warping.bound["Mask"] == 0
moves = moves[:-1, :-1] & moves[1:, :-1] & moves[:-1, 1:] & moves[1:, 1:]  # all corners of a square


def between(field, i, j):
    """A field at the place (i, j) within each pixel's square, by linear interpolation."""
    rows = (1 - i) * field[:-1] + i * field[1:]
    return (1 - j) * rows[:, :-1] + j * rows[:, 1:]


def frame(places):
    picture = np.full((SIZE * SCALE, SIZE * SCALE, 3), 255.0)
    for i in np.linspace(0, 1, SAMPLES):
        for j in np.linspace(0, 1, SAMPLES):
            x, y = (np.rint(SCALE * between(places[..., k], i, j)).astype(int) for k in range(2))
            its = moves & (x >= 0) & (y >= 0) & (x < SIZE * SCALE) & (y < SIZE * SCALE)
            picture[y[its], x[its]] = np.stack([between(colors[..., c], i, j)[its] for c in range(3)], -1)
    return picture.astype(np.uint8)


frames = [frame(warping.bound["UrShape"])]
goes_on = True
while goes_on:
    warping.solve()
    frames.append(frame(warping.bound["Offset"]))
    goes_on = warping.advance()
for number, picture in enumerate(frames + frames[-1:] * 8 + frames[::-1] + frames[:1] * 4):
    header = f"P6 {SIZE * SCALE} {SIZE * SCALE} 255\n".encode()
    (folder / f"{number:02}.ppm").write_bytes(header + picture.tobytes())
target = Path(__file__).with_suffix(".gif")
subprocess.run(["convert", "-delay", "6", "-loop", "0", *sorted(folder.glob("*.ppm")), "-crop", "384x340+0+30", "+repage",
                "-colors", "24", "+dither", "-layers", "optimize", target], check=True)
print(target, target.stat().st_size, file=sys.stderr)
