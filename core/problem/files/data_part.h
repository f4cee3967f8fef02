// Selects the part of a file that feeds an input of an energy. A file has *parts*, tables of
// elements with named channels, and a *selection* names channels of them:
//
//   photo.png            all channels         photo.png:gray    photo.png:r,g,b    photo.png:rgb
//   shot.exr:Z           a channel            shot.exr:depth.Z  one of a part or layer of an EXR
//   stack.tif            all pages, for an input over three dims                  stack.tif:page2
//   bunny.ply            the positions        bunny.ply:normals            bunny.ply:positions.z
//   bunny.ply:edges      ends of the edges    bunny.ply:edges.0    (for a map: their first ends)
//   map.g2o              the poses            map.g2o:measurements.x.y
//   data.csv             all columns          data.csv:time,height
//   data.npz             its first array      data.npz:depth       data.npz:points.0
//
// A selection is a list of items PART.CHANNEL.CHANNEL..., PART, or channels of the file's first
// part. parts_help() lists the parts of each kind of file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/problem/files/data_file.h"

namespace thallo {

struct DataPart {
  std::string name;                   // "pixels", "positions"
  std::vector<std::int64_t> extents;  // first dimension fastest: {width, height}, {vertices}
  std::vector<std::string> channels;  // "r", "x"; those of an element lie side by side
  std::vector<double> values;         // as the file stores them
  // The value that is 1 in a field of real numbers: 255 or 65535 for unsigned integers of pictures.
  double full_scale = 1;
  // If the values are indices: the number of elements that they index. Otherwise 0.
  std::int64_t num_targets = 0;
  // A sentence on what the part leaves out; "" if it has all.
  std::string warning = {};

  std::size_t num_channels() const { return channels.size(); }
  std::size_t num_elements() const {
    return channels.empty() ? 0 : values.size() / channels.size();
  }
};

// A part that is made on demand. `write` puts it back into the content of a file; it is null if the
// part cannot be written.
struct PartSource {
  std::string name;
  std::function<Expected<DataPart>()> make;
  void (*write)(const DataPart& part, DataFile::Content& content) = nullptr;
};
using PartSources = std::vector<PartSource>;

// Selects parts of a file, which must outlive the reader, for inputs over `rank` dims. The rank
// matters for arrays of numbers (npy, csv): their axes are the dims, and an additional last axis is
// the channels. It also matters for pictures with several pages. Data that several parts need, such
// as the edges of a mesh, are made once.
class PartReader {
 public:
  PartReader(const DataFile& file, int rank);

  // Errors list the available parts or channels.
  Expected<DataPart> select(std::string_view selection) const;

 private:
  const DataFile& file_;
  PartSources sources_;
};

// Puts values of a field (element by element) back where the selection took them from. Parts that
// are derived from others (edges ...) cannot be written, nor can parts of images: outputs.h makes a
// new image instead.
Expected<void> put(DataFile& file, std::string_view selection, int rank,
                   const std::vector<double>& values);

// Lists what can be selected, for a help text.
std::string_view parts_help();

}  // namespace thallo
