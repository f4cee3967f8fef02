// The names of an exported solver, and the sizes of its program as text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/kernel/generate.h"
#include "core/kernel/vector_layout.h"
#include "core/schedule/precision.h"

namespace thallo {

// A number of scalars as a C++ expression of extents: "2 * m.W * m.H + m.N".
class SizeText {
 public:
  // Adds `factor` times the number of points of `dims`.
  void add(std::int64_t factor, std::vector<DimId> dims);
  void subtract(const SizeText& other);

  // `dims` are the expressions of extents, by DimId.
  std::string text(const std::vector<std::string>& dims) const;

 private:
  std::map<std::vector<DimId>, std::int64_t> terms_;
};

class ExportNames {
 public:
  // The program must outlive it.
  ExportNames(const GeneratedProgram& generated, Precision precision);

  const KernelProgram& program() const { return program_; }
  const std::string& solver() const { return solver_; }  // "image_warping"
  // Of things of the energy and of the program; members of the exported struct Memory.
  const std::string& dim(DimId dim) const { return dims_[dim.index()]; }
  const std::string& field(FieldId field) const { return fields_[field.index()]; }
  const std::string& map(MapId map) const { return maps_[map.index()]; }
  // The functions of kernels, in the order of the program's.
  const std::string& kernel(std::size_t kernel) const { return kernels_[kernel]; }

  // The C++ type of a field's scalars.
  std::string_view type(FieldId field) const;
  // Expressions of the members of `m`, a Memory.
  std::string num_points(const std::vector<DimId>& dims) const;
  std::string num_scalars(FieldId field) const;
  std::string num_entries(MapId map) const;
  std::string buffer_size(const BufferDecl& buffer) const;
  // Of a field in a buffer: where it begins, and the scalars from there to its end.
  std::string begin(FieldId field) const { return text(begins_.at(field)); }
  std::string reach(FieldId field) const;
  FieldId first_in_memory(const BufferDecl& buffer) const;
  std::string chunk(const LaterChunk& chunk) const { return text(chunks_.at(chunk)); }
  std::string num_unknowns() const;
  std::string num_matrix_rows() const;
  std::string offset(FieldId unknown) const;

 private:
  std::string text(const SizeText& size) const { return size.text(extents_); }
  void lay_out(const BufferDecl& buffer);

  const KernelProgram& program_;
  VectorLayout layout_;
  Precision precision_;
  std::string solver_;
  std::vector<std::string> dims_, fields_, maps_, kernels_;
  std::vector<std::string> extents_;  // "m.W"
  std::map<FieldId, SizeText> begins_, reaches_;
  std::map<LaterChunk, SizeText> chunks_;
};

}  // namespace thallo
