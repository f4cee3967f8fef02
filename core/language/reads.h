#pragma once

// Implements calls of declared things: W() gives a loop variable, X(i, j) a read, V0(e) a map
// lookup, S(x, y) a sample. Argument 1 is the thing itself.

#include "core/language/call.h"

namespace thallo::language {

int push_domain(Call& call);  // W() or W("x"): a fresh loop variable over the dim
int read_field(Call& call);   // X(i, j): all channels; X(i, j, c): channel c
int look_up(Call& call);      // V0(e): an index into the map's output space
int sample(Call& call);       // S(x, y) or S(x, y, c), x and y expressions

int sample_layer(Call& call);  // S(x, y, layer) or S(x, y, layer, c)

// SampledImage(image [, dx, dy]), SampledImageArray(images)
int make_sampled_image(Call& call);
int make_sampled_image_array(Call& call);

// Returns one of the channels of argument 1; any other number is a fault.
ExprId channel_of(Call& call, const Elements& channels, std::int64_t channel);

// Reads a field by an index of full rank: a scalar for one channel, else a vector.
Elements read(Call& call, FieldId field, const std::vector<Affine>& index);

}  // namespace thallo::language
