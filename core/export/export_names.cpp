#include "core/export/export_names.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/identifiers.h"
#include "core/kernel/memory_type.h"

namespace thallo {
namespace {

// "apply_jtjp [fit]" becomes apply_jtjp_fit.
std::string words_joined(std::string_view label) {
  std::string result;
  for (const char c : label) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_word || (!result.empty() && result.back() != '_')) result += is_word ? c : '_';
  }
  while (result.ends_with('_')) result.pop_back();
  return result;
}

}  // namespace

void SizeText::add(std::int64_t factor, std::vector<DimId> dims) {
  std::ranges::sort(dims);
  if ((terms_[dims] += factor) == 0) terms_.erase(dims);
}

void SizeText::subtract(const SizeText& other) {
  for (const auto& [dims, factor] : other.terms_) add(-factor, dims);
}

std::string SizeText::text(const std::vector<std::string>& dims) const {
  std::string sum;
  for (const auto& [of, factor] : terms_) {
    if (!sum.empty()) sum += " + ";
    std::string product = factor == 1 && !of.empty() ? "" : fmt::format("{}", factor);
    for (const DimId dim : of) {
      if (!product.empty()) product += " * ";
      product += dims[dim.index()];
    }
    sum += product;
  }
  return sum.empty() ? "0" : sum;
}

ExportNames::ExportNames(const GeneratedProgram& generated, Precision precision)
    : program_(generated.program),
      layout_(program_),
      precision_(precision),
      solver_(Identifiers().take(program_.name)) {
  Identifiers members({"state", "num_unknowns", "num_matrix_rows", "solver", "program", "data"});
  for (const Dim& dim : program_.dims) dims_.push_back(members.take(dim.name));
  for (const std::string& dim : dims_) extents_.push_back("m." + dim);
  for (std::size_t i = 0; i < program_.fields.size(); ++i) {
    fields_.push_back(FieldId(i) == program_.state ? "state"
                                                   : members.take(program_.fields[i].name));
  }
  for (const SparseMap& map : program_.maps) maps_.push_back(members.take(map.name));
  Identifiers functions;
  for (const KernelCode& code : generated.codes) {
    kernels_.push_back(functions.take(
        fmt::format("{}_{}", solver_, words_joined(code.label.empty() ? code.role : code.label))));
  }
  for (const BufferDecl& buffer : program_.buffers) lay_out(buffer);
}

void ExportNames::lay_out(const BufferDecl& buffer) {
  SizeText end;
  for (const auto& [field, chunk, unused] : layout_.chunks_of(buffer)) {
    if (chunk.number == 0) begins_[field] = end;
    SizeText place = end;
    place.subtract(begins_.at(field));
    const ChannelPlace first = layout_.place(field, chunk.first);
    if (first.chunk.valid()) chunks_[first.chunk] = place;
    end.add(chunk.stride, program_.field(field).dims);
    reaches_[field] = end;
    reaches_[field].subtract(begins_.at(field));
  }
  if (!buffer.flat.valid()) return;
  begins_[buffer.flat] = {};
  reaches_[buffer.flat] = end;
}

std::string_view ExportNames::type(FieldId field) const {
  switch (memory_type(program_, field,
                      precision_ == Precision::Double ? Precision::Double : Precision::Float)) {
    case ScalarType::Half: return "std::uint16_t";
    case ScalarType::Float: return "float";
    case ScalarType::Double: return "double";
    case ScalarType::Int32: return "std::int32_t";
    case ScalarType::UInt8: return "std::uint8_t";
    case ScalarType::Working: break;
  }
  THALLO_UNREACHABLE();
}

std::string ExportNames::num_points(const std::vector<DimId>& dims) const {
  SizeText size;
  size.add(1, dims);
  return text(size);
}

std::string ExportNames::num_scalars(FieldId field) const {
  SizeText size;
  size.add(layout_.scalars_per_element(field), program_.field(field).dims);
  return text(size);
}

std::string ExportNames::num_entries(MapId map) const {
  SizeText size;
  size.add(static_cast<std::int64_t>(program_.maps[map.index()].out.size()),
           program_.maps[map.index()].in);
  return text(size);
}

std::string ExportNames::buffer_size(const BufferDecl& buffer) const {
  SizeText size;
  for (const FieldId field : buffer.fields)
    size.add(layout_.scalars_per_element(field), program_.field(field).dims);
  return text(size);
}

FieldId ExportNames::first_in_memory(const BufferDecl& buffer) const {
  return *std::ranges::find_if(buffer.fields, [&](FieldId field) { return begin(field) == "0"; });
}

// An unknown is no field of a buffer.
std::string ExportNames::reach(FieldId field) const {
  const auto found = reaches_.find(field);
  return found == reaches_.end() ? num_scalars(field) : text(found->second);
}

std::string ExportNames::num_unknowns() const {
  SizeText size;
  for (const FieldId unknown : program_.unknowns)
    size.add(layout_.columns_per_element(unknown), program_.field(unknown).dims);
  return text(size);
}

std::string ExportNames::num_matrix_rows() const {
  SizeText size;
  for (const FieldId unknown : program_.unknowns) {
    if (is_kept_in_matrix(program_, unknown))
      size.add(layout_.columns_per_element(unknown), program_.field(unknown).dims);
  }
  return text(size);
}

std::string ExportNames::offset(FieldId unknown) const {
  SizeText size;
  for (const FieldId before : program_.unknowns) {
    if (before == unknown) break;
    if (is_kept_in_matrix(program_, before))
      size.add(layout_.columns_per_element(before), program_.field(before).dims);
  }
  return text(size);
}

}  // namespace thallo
