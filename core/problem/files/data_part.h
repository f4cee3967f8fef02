// What of a file feeds an input of an energy. A file has *parts*, tables of elements with named
// channels, and a *selection* names channels of them:
//
//   photo.png            all channels         photo.png:gray    photo.png:r,g,b    photo.png:rgb
//   bunny.ply            the positions        bunny.ply:normals            bunny.ply:positions.z
//   bunny.ply:edges      ends of the edges    bunny.ply:edges.0    (for a map: their first ends)
//   map.g2o              the poses            map.g2o:measurements.x.y
//   data.csv             all columns          data.csv:time,height
//
// A selection is a list of PART.CHANNEL.CHANNEL..., PART, or channels of the file's first part. The
// parts of each kind of file are listed by parts_help().
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
  std::vector<double> values;
  // What 1 is in a field of integers: 255 for pictures of integer samples.
  double full_scale = 1;
  // Indices of elements: how many of these there are. 0: values of another kind.
  std::int64_t num_targets = 0;

  std::size_t num_channels() const { return channels.size(); }
  std::size_t num_elements() const {
    return channels.empty() ? 0 : values.size() / channels.size();
  }
};

// A part that is made when it is asked for, and how it is written back, if it can be.
struct PartSource {
  std::string name;
  std::function<Expected<DataPart>()> make;
  void (*write)(const DataPart& part, DataFile::Content& content) = nullptr;
};

// Selects parts of a file, which must outlive the reader, for inputs of one rank: an array of
// numbers (npy, csv) is seen as so many dimensions, with the last one as channels if there is one
// more. What several parts are made from, the edges of a mesh, is made once.
class PartReader {
 public:
  PartReader(const DataFile& file, int rank);

  // Errors list the parts or channels there are.
  Expected<DataPart> select(std::string_view selection) const;

 private:
  const DataFile& file_;
  std::vector<PartSource> sources_;
};

// Puts values (element by element) back where the selection took them from. Parts that are made
// from others (edges ...) cannot be written, nor can those of images: an image is made anew.
Expected<void> put(DataFile& file, std::string_view selection, int rank,
                   const std::vector<double>& values);

// What can be selected, for a help text.
std::string_view parts_help();

}  // namespace thallo
