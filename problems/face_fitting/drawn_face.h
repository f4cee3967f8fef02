// The generated face: a mask over a grid, and smooth blendshapes.
#pragma once

#include "problems/face_fitting/face_model.h"

namespace thallo::face_fitting {

// `across` vertices in width and a third more in height; about a third of the shapes, and at most
// eight, are expressions (a smile, a raised brow ...), which come last.
FaceModel make_face(int across, int num_shapes);

}  // namespace thallo::face_fitting
