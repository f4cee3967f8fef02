// The precompiled header of plugins and problems; see core/pch.h.
#pragma once

#include "core/pch.h"

#include "core/energy/builder.h"
#include "core/plugin/registrar.h"
#include "core/problem/problem.h"
#include "core/schedule/construct.h"
