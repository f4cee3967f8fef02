// What a structure-from-motion program knows of a site before its last bundle adjustment: a
// generated scene with what makes real ones hard.
//
//   - The number of observations of a point follows a power law: a track of length L, 2 to 200,
//     has a probability in proportion to L to the power of -g, where g makes the mean what was
//     asked for: 2.46 for a mean of 4.5. Tracks that are longer than what sees the point are cut.
//   - A point in 50 is far behind what its two cameras look at, nearly without parallax.
//   - Some observations are wrong: they are anywhere in the picture. Two of each point are right.
//   - A camera in 200, at least one of 20, is so far away that its focal length is 1e9.
//   - Cameras and points are in no order.
//   - Cameras start where a mapper leaves them: errors are small among neighbors and add up over
//     the scene. Points start where their first camera sees them, at a depth as uncertain as their
//     parallax leaves it. No distortion is known.
#pragma once

#include "problems/bundle_adjustment/scene.h"

namespace thallo::bundle_adjustment {

Expected<Scene> generate_collection(const SceneOptions& options);

}  // namespace thallo::bundle_adjustment
