#pragma once

// Handles of everything that an expression can mention. Each is a dense 32-bit index into the table
// that owns the object: the Energy owns dims, fields and maps; the ExprGraph owns domains, indices
// and expressions.

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
