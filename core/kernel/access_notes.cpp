#include "core/kernel/access_notes.h"

#include <algorithm>
#include <utility>

#include "core/kernel/emit/vector_access.h"
#include "core/kernel/memory_type.h"

namespace thallo {

double AccessNotes::scalar_bytes(FieldId field) const {
  return static_cast<double>(size_of(memory_type(program_, field, precision_)));
}

void AccessNotes::note(const Scalar& scalar, Motion motion, MapId map, double count,
                       bool begins_piece) {
  const Chunk chunk = layout_.chunk(scalar.field, scalar.channel);
  const auto [it, is_new] =
      noted_.try_emplace({scalar.kind, scalar.field, scalar.element, chunk.number}, Noted{});
  Noted& noted = it->second;
  if (is_new) {
    const double bytes = scalar_bytes(scalar.field) * chunk.stride;
    const double elements = static_cast<double>(sizes_.num_scalars(scalar.field)) /
                            layout_.scalars_per_element(scalar.field);
    noted.access = {.kind = scalar.kind,
                    .motion = motion,
                    .map = map,
                    .element = bytes,
                    .table = bytes * elements};
  }
  noted.access.count = std::max(noted.access.count, count);
  noted.channels.insert(scalar.channel);
  if (begins_piece) noted.beginnings.insert(scalar.channel);
}

// As the CUDA emitter does: it loads a vector where two of its channels are wanted, and stores one
// where all of them are there.
double AccessNotes::pieces(FieldId field, const Noted& noted) const {
  if (noted.access.kind == Access::Kind::Add) return static_cast<double>(noted.beginnings.size());
  struct Wanted {
    VectorUnit unit;
    int channels = 0;
  };
  std::map<int, Wanted> units;  // by first channel
  for (const int channel : noted.channels) {
    const VectorUnit unit = vector_unit(program_, layout_, field, channel, precision_);
    Wanted& wanted = units[unit.first];
    wanted.unit = unit;
    ++wanted.channels;
  }
  double pieces = 0;
  for (const auto& [first, wanted] : units) {
    const bool is_vector =
        wanted.channels >= (noted.access.kind == Access::Kind::Read ? 2 : wanted.unit.channels);
    pieces += is_vector ? 1 : wanted.channels;
  }
  return pieces;
}

std::vector<Access> AccessNotes::take() {
  std::vector<Access> accesses;
  for (auto& [key, noted] : std::exchange(noted_, {})) {
    const FieldId field = std::get<FieldId>(key);
    noted.access.scalars = static_cast<double>(noted.channels.size());
    noted.access.bytes = scalar_bytes(field) * noted.access.scalars;
    noted.access.pieces = pieces(field, noted);
    accesses.push_back(noted.access);
  }
  return accesses;
}

}  // namespace thallo
