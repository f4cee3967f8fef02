// How steps of a program look, the same on all pages.
#pragma once

#include <QString>

#include "gui/views/theme.h"

namespace thallo::gui {

// The color of what a step works for, by its label: "apply_jtjp [fit]" for products.
Ink inkOfStep(const QString& label);

// "fit · apply_jtjp" of "apply_jtjp [fit]": the part first, which tells steps of a kind apart.
QString briefLabel(const QString& label);

}  // namespace thallo::gui
