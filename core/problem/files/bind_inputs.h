// Binds the inputs of an energy from texts NAME=SOURCE, as in `thallo run --bind` and in problem
// files:
//
//   a field        X=photo.png, X=bunny.ply:positions    a file or a part of it, see data_part.h
//                  X=0, X=0.5,0.5,1                      one number for all channels, or one each
//                  X=zeros, X=ones, X=ramp               a ramp: channel k is coordinate k of the
//                                                        element; ramp.0 its first coordinate alone
//                  X=random                              from -1 to 1; of integers 0 or 1
//   a param        w=0.5
//   a sparse map   V0=bunny.ply:edges.0                  as many channels as the map has dims
//                  V0=random, V0=nearby                  any points, or points of similar numbers
//   a dim          W=640                                 if no file gives its extent
//
// Extents come from the files. If two contradict each other, the message names both. An unknown
// that is not bound starts at zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/energy/energy.h"
#include "core/problem/files/data_file.h"

namespace thallo {

struct SourceText {
  std::string name;
  std::string source;
};

// The file that provided a field, so that the field can be written back in the same format.
struct FedBy {
  std::shared_ptr<const DataFile> file;
  std::string selection;
};

struct BoundInputs {
  Binding binding;
  std::map<std::string, FedBy> files;      // by the field's name
  std::vector<std::string> zero_unknowns;  // the unknowns that no text binds
  std::vector<std::string> warnings;       // what the parts of files leave out
};

// Splits "a.ply:edges.0" at its last colon into a file and a selection. If the whole source is the
// name of a file, there is no selection.
std::pair<std::filesystem::path, std::string> split_source(std::string_view source);

// If two texts have the same name, the later one counts. Reports all faults, one per line.
Expected<BoundInputs> bind_inputs(const Energy& energy, std::span<const SourceText> texts);

// A fault of bindings, with the inputs that it concerns: for two extents that contradict each
// other, what gave them and the dim. Empty if it concerns all inputs together.
struct BindingFault {
  std::string text;
  std::vector<std::string> inputs;
  bool is_missing = false;  // true if an input is not bound, or if a dim has no extent
};

// The part of a file that an input is bound to, whether it fits or not.
struct BoundPart {
  std::shared_ptr<const DataFile> file;
  std::string name;                   // "pixels", "edges"
  std::vector<std::int64_t> extents;  // first dimension fastest
  std::size_t num_channels = 0;
};

struct BindingCheck {
  std::vector<BindingFault> faults;
  std::map<std::string, BoundPart> parts;  // by input; of the files that could be read
};

// Says input by input what bind_inputs() would find.
BindingCheck check_bindings(const Energy& energy, std::span<const SourceText> texts);

// Describes the inputs of an energy and what can be bound to them, one per line.
std::string inputs_help(const Energy& energy);

}  // namespace thallo
