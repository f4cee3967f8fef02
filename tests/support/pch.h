// The precompiled header of the tests; see core/pch.h.
#pragma once

#include "core/pch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
