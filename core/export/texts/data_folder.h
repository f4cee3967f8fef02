// Reads a folder of data: index.txt, and a file of raw numbers for each array.
#pragma once

#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

class DataFolder {
 public:
  explicit DataFolder(const std::string& folder) : folder_(folder) {
    std::ifstream index(folder + "/index.txt");
    if (!index) throw std::runtime_error("there is no " + folder + "/index.txt");
    for (std::string line; std::getline(index, line);) {
      std::istringstream words(line);
      std::string kind, name, value;
      if (words >> kind >> name >> value && kind[0] != '#') values_[kind + " " + name] = value;
    }
  }

  bool has(const std::string& name) const { return values_.count(name) > 0; }
  // "extent W", "param w", "expected final_cost".
  double number(const std::string& name) const { return std::stod(text(name)); }

  // "array A", "map G": all numbers of a file.
  template <class T>
  std::vector<T> numbers(const std::string& name) const {
    std::ifstream file(folder_ + "/" + text(name), std::ios::binary | std::ios::ate);
    if (!file) throw std::runtime_error("there is no " + folder_ + "/" + text(name));
    std::vector<T> values(static_cast<std::size_t>(file.tellg()) / sizeof(T));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(T)));
    return values;
  }

 private:
  const std::string& text(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw std::runtime_error("index.txt has no " + name);
    return found->second;
  }

  std::string folder_;
  std::map<std::string, std::string> values_;
};
