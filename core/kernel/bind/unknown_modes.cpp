#include "core/kernel/bind/unknown_modes.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "core/base/vector3.h"
#include "core/energy/manifold.h"

namespace thallo {
namespace {

// The three translations, then the rotations: one of SE2, three of SE3.
struct Motions {
  int translations = 0, rotations = 0;
  int count() const { return translations + rotations; }
};
Motions motions_of(Manifold manifold) {
  switch (manifold) {
    case Manifold::SE2: return {2, 1};
    case Manifold::SE3: return {3, 3};
    case Manifold::Euclidean: break;
  }
  return {};
}

// The step of one pose, in its tangent space, that moves it by a motion of the world: translation
// by v, and rotation by w about the origin.
class PoseMotion {
 public:
  PoseMotion(Manifold manifold, std::span<const double> pose) : manifold_(manifold) {
    const int size = motions_of(manifold).translations;
    for (int i = 0; i < size; ++i) at_[i] = pose[i];
    // The columns of the rotation are the directions that steps along the axes take.
    const std::vector<Rounded> x(pose.begin(), pose.end());
    for (int i = 0; i < size; ++i) {
      const std::vector<Rounded> row = tangent_basis_row(manifold, x, i);
      for (int j = 0; j < size; ++j) rotation_[i][j] = row[j].value;
    }
  }

  std::vector<double> step(const Vector3& v, const Vector3& w) const {
    const Vector3 moved = back(v + cross(w, at_));
    if (manifold_ == Manifold::SE2) return {moved[0], moved[1], w[2]};
    const Vector3 turn = back(w);
    return {moved[0], moved[1], moved[2], turn[0], turn[1], turn[2]};
  }

 private:
  Vector3 back(const Vector3& v) const {
    Vector3 result{};
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) result[j] += rotation_[i][j] * v[i];
    return result;
  }

  Manifold manifold_;
  Vector3 at_{};
  std::array<Vector3, 3> rotation_{};
};

class UnknownModes {
 public:
  UnknownModes(const KernelProgram& program, const ProgramSizes& sizes,
               const std::function<std::vector<double>(FieldId)>& read)
      : program_(program), sizes_(sizes), read_(read) {}

  RowModes run() {
    for (const UnknownSpace& space : program_.spaces) place(space);
    const auto num_rows = static_cast<std::size_t>(sizes_.num_matrix_rows());
    modes_.element_of.resize(num_rows);
    modes_.values.resize(num_rows * static_cast<std::size_t>(modes_.num_modes));
    if (has_poses_) modes_.alternative = modes_.values;
    std::int32_t first_element = 0;
    for (std::size_t s = 0; s < program_.spaces.size(); ++s) {
      const UnknownSpace& space = program_.spaces[s];
      const std::int64_t elements = sizes_.num_points(space.dims);
      for (const FieldId unknown : space.unknowns) {
        number_rows(unknown, elements, first_element);
        if (first_mode_.contains(unknown)) fill(unknown, elements);
      }
      modes_.kind_of.insert(modes_.kind_of.end(), static_cast<std::size_t>(elements),
                            static_cast<std::int32_t>(s));
      first_element += static_cast<std::int32_t>(elements);
    }
    return std::move(modes_);
  }

 private:
  // Decides which modes the unknowns of a space have: poses of one kind move together, and each
  // Euclidean channel has a mode of its own.
  void place(const UnknownSpace& space) {
    int next = 0;
    std::map<Manifold, int> of_motions;
    std::map<FieldId, int> first;
    for (const FieldId unknown : space.unknowns) {
      const Field& field = program_.field(unknown);
      if (field.manifold == Manifold::Euclidean) {
        first[unknown] = std::exchange(next, next + field.channels);
        continue;
      }
      const auto [at, is_new] = of_motions.emplace(field.manifold, next);
      if (is_new) next += motions_of(field.manifold).count();
      first[unknown] = at->second;
    }
    if (next > MostModes) return;
    first_mode_.merge(first);
    has_poses_ = has_poses_ || !of_motions.empty();
    modes_.num_modes = std::max(modes_.num_modes, next);
  }

  void number_rows(FieldId unknown, std::int64_t elements, std::int32_t first_element) {
    const int channels = program_.field(unknown).tangent_channels();
    auto row = static_cast<std::size_t>(sizes_.offset(unknown));
    for (std::int64_t e = 0; e < elements; ++e)
      for (int c = 0; c < channels; ++c)
        modes_.element_of[row++] = first_element + static_cast<std::int32_t>(e);
  }

  std::size_t entry(std::int64_t row, int mode) const {
    return static_cast<std::size_t>(row * modes_.num_modes + mode);
  }
  // Each channel by itself, of all elements.
  void fill_constants(FieldId unknown, std::int64_t elements, std::vector<double>& values) const {
    const int channels = program_.field(unknown).tangent_channels();
    for (std::int64_t e = 0; e < elements; ++e)
      for (int c = 0; c < channels; ++c)
        values[entry(sizes_.offset(unknown) + e * channels + c, first_mode_.at(unknown) + c)] = 1;
  }

  void fill(FieldId unknown, std::int64_t elements) {
    if (has_poses_) fill_constants(unknown, elements, modes_.alternative);
    if (program_.field(unknown).manifold == Manifold::Euclidean)
      fill_constants(unknown, elements, modes_.values);
    else
      fill_motions(unknown, elements);
  }

  void fill_motions(FieldId unknown, std::int64_t elements) {
    const Field& field = program_.field(unknown);
    const std::vector<double> poses = read_(unknown);
    const auto pose = [&](std::int64_t e) {
      const auto channels = static_cast<std::size_t>(field.channels);
      return std::span(poses).subspan(static_cast<std::size_t>(e) * channels, channels);
    };
    const Motions motions = motions_of(field.manifold);
    const int channels = field.tangent_channels();
    const std::int64_t first_row = sizes_.offset(unknown);
    for (std::int64_t e = 0; e < elements; ++e) {
      const PoseMotion motion(field.manifold, pose(e));
      for (int m = 0; m < motions.count(); ++m) {
        Vector3 v{}, w{};
        if (m < motions.translations)
          v[m] = 1;
        else
          w[motions.rotations == 1 ? 2 : m - motions.translations] = 1;
        const std::vector<double> step = motion.step(v, w);
        for (int c = 0; c < channels; ++c)
          modes_.values[entry(first_row + e * channels + c, first_mode_.at(unknown) + m)] = step[c];
      }
    }
  }

  const KernelProgram& program_;
  const ProgramSizes& sizes_;
  const std::function<std::vector<double>(FieldId)>& read_;
  std::map<FieldId, int> first_mode_;
  bool has_poses_ = false;
  RowModes modes_;
};

}  // namespace

RowModes unknown_modes(const KernelProgram& program, const ProgramSizes& sizes,
                       const std::function<std::vector<double>(FieldId)>& read) {
  return UnknownModes(program, sizes, read).run();
}

}  // namespace thallo
