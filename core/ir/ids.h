#pragma once

// Handles of everything an expression can mention. All of them are dense 32-bit indices into the
// table that owns the object (dims, fields and maps: the Energy; domains, indices and expressions:
// the ExprGraph).

#include "core/base/id.h"

namespace thallo {

using DimId = Id<struct DimTag>;        // named extent, e.g. W
using DomainId = Id<struct DomainTag>;  // loop variable over a dim
using FieldId = Id<struct FieldTag>;    // unknown, array, parameter, intermediate or program buffer
using MapId = Id<struct MapTag>;        // sparse map between index spaces
using AtomId = Id<struct AtomTag>;      // domain or map lookup inside an affine index
using IndexId = Id<struct IndexTag>;    // multi-index: one affine component per dimension
using SamplerId = Id<struct SamplerTag>;  // image with its declared derivative images
using ExprId = Id<struct ExprTag>;        // scalar expression

}  // namespace thallo
