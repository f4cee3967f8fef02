// The precompiled header of the tests; see core/pch.h. It has the headers of core that most of them
// include.
#pragma once

#include "core/pch.h"

#include <gmock/gmock.h>

#include "core/kernel/generate.h"
#include "core/plugin/registrar.h"
#include "core/problem/driver.h"
#include "core/search/schedule_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
