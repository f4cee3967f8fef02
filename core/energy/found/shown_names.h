// What people read in place of the hash of a found intermediate. Schedules, ids and stores keep the
// hash: a name here changes with the fields' names and with what else is found.
//
//   %0353, which is sin(Angle(w, h)) and cos(Angle(w, h))    "sin, cos(Angle)"
//   %e2bf, which rotates points by cameras                    "R(cameras)·points"
//   %6bdd, which is arithmetic of X and parameters            "f(X)"
//
// A name lists the functions and the fields that the values are made of. R is a rotation: sines and
// cosines of at least three channels of one field. "fixed X" is read as a constant (constant_of).
// Names that are equal get the domains, else the number of channels, else the hash.
#pragma once

#include <map>
#include <string>

#include "core/energy/found/intermediates.h"

namespace thallo {

// By hash ("%0353"). Intermediates that the author named have no entry. The names differ from each
// other and from those of all fields, maps and Sums.
std::map<std::string, std::string> shown_names(const FoundIntermediates& found);
// The same for the found intermediates of an energy; empty if it has none.
std::map<std::string, std::string> shown_names(const Energy& energy);

}  // namespace thallo
