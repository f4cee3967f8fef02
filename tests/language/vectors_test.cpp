// The helpers of the prelude are tested by what they are for: rotations turn, inverses undo.

#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "tests/language/texts.h"

namespace thallo {
namespace {

using test::value;
using test::values;
using testing::DoubleNear, testing::ElementsAre, testing::Pointwise;

void expect_equal(const std::string& a, const std::string& b, const std::string& before = "") {
  EXPECT_THAT(values(a, before), Pointwise(DoubleNear(1e-12), values(b, before)))
      << a << " = " << b;
}

const std::string Locals = R"(
local u, v = Vector(a, b, 0.4), Vector(1.5, -a, b)
local M = Vector(a, 1, 2, b, -1, 3, 0.5, 2, b)
local Identity = Vector(1, 0, 0, 0, 1, 0, 0, 0, 1)
)";

TEST(LanguageVectors, MultipliesAndInvertsMatrices) {
  expect_equal("dot(u, v)", "u(0) * v(0) + u(1) * v(1) + u(2) * v(2)", Locals);
  expect_equal("dot(u, cross(u, v)), dot(v, cross(u, v))", "0, 0", Locals);
  expect_equal("dot(cross(u, v), cross(u, v))", "dot(u, u) * dot(v, v) - dot(u, v) ^ 2", Locals);
  expect_equal("cross({1, 0, 0}, {0, 1, 0})", "0, 0, 1");
  expect_equal("dot(normalize(u), normalize(u))", "1", Locals);
  expect_equal("length(u, v), length(u)", "sqrt(dot(u - v, u - v)), sqrt(dot(u, u))", Locals);
  expect_equal("L_1_norm(Vector(a, b)), L_2_norm(Vector(3, 4))", "a - b, 5");
  expect_equal("gemv(M, u)", "dot(M:slice(0, 3), u), dot(M:slice(3, 6), u), dot(M:slice(6, 9), u)",
               Locals);
  expect_equal("gemv(Vector(1, 2, 3, 4, 5, 6), Vector(1, 1, 1))", "6, 15");
  expect_equal("gemv(matmul(M, M), u)", "gemv(M, gemv(M, u))", Locals);
  expect_equal("dot(gemv(transpose(M), u), v)", "dot(u, gemv(M, v))", Locals);
  expect_equal("matmul(M, Identity)", "M", Locals);
  const std::string matrix =
      "local M = Matrix4(a, 1, 2, 0, b, -1, 3, 1, 0.5, 2, b, a, 3, 0, 1, 2)\n"
      "local Identity = Vector(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)";
  expect_equal("matmul(M, InverseMatrix4(M))", "Identity", matrix);
  expect_equal("matmul(InverseMatrix4(M), M)", "Identity", matrix);
}

TEST(LanguageVectors, RotatesInThePlaneAndInSpace) {
  EXPECT_THAT(values("Rotate2D(math.pi / 2, Vector(a, b))"),
              ElementsAre(DoubleNear(1.3, 1e-15), DoubleNear(0.7, 1e-15)));
  expect_equal("Rotate2D(a, Rotate2D(b, Vector(1, 2)))", "Rotate2D(a + b, Vector(1, 2))");
  // Rz(gamma) Ry(beta) Rx(alpha), each of them a rotation of a plane.
  const std::string composed = Locals + R"(
    local yz = Rotate2D(a, Vector(v(1), v(2)))
    local x1, y1, z1 = v(0), yz(0), yz(1)
    local zx = Rotate2D(b, Vector(z1, x1))
    local z2, x2 = zx(0), zx(1)
    local xy = Rotate2D(0.4, Vector(x2, y1))
    local turned = Vector(xy(0), xy(1), z2))";
  expect_equal("Rotate3D(Vector(a, b, 0.4), v)", "turned", composed);
  const std::string about_z = Locals + "local xy = Rotate2D(a, Vector(v(0), v(1)))";
  expect_equal("AngleAxisRotatePoint({0, 0, a}, v)", "xy(0), xy(1), v(2)", about_z);
  expect_equal("AngleAxisRotatePoint(-u, AngleAxisRotatePoint(u, v))", "v", Locals);
  expect_equal("dot(u, AngleAxisRotatePoint(u, v))", "dot(u, v)", Locals);
  expect_equal("AngleAxisRotatePoint(u * 0, v)", "v", Locals);
  expect_equal("AngleAxisRotatePoint(u * 1e-4, v)",
               "v + 1e-4 * cross(u, v) + 0.5e-8 * cross(u, cross(u, v))"
               " + 1e-12 / 6 * cross(u, cross(u, cross(u, v)))",
               Locals);
}

TEST(LanguageVectors, MakesPosesThatAreContinuousWhereTheSeriesTakeOver) {
  const std::string pose = Locals + "local P = PoseToMatrix(u, v)\n";
  expect_equal("gemv(rotationFromMat4(P), v)", "AngleAxisRotatePoint(u, v)", pose);
  expect_equal("matmul(P, PoseToMatrix(-u, -v))", "PoseToMatrix({0, 0, 0}, {0, 0, 0})", pose);
  expect_equal("matmul(P, P)", "PoseToMatrix(2 * u, 2 * v)", pose);
  expect_equal("rigid_trans(InvertRigidTransform(P), rigid_trans(P, u))", "u", pose);
  expect_equal("rigid_trans(Mat4ToRigidTransform(P), u)", "rigid_trans(P, u)", pose);
  expect_equal("InvertRigidTransform(P)", "InverseMatrix4(P)", pose);
  expect_equal("RigidTransformToMat4(Mat4ToRigidTransform(P))", "P", pose);
  expect_equal("RotationMatrixAndTranslationToMat4(rotationFromMat4(P), translationFromMat4(P))",
               "P", pose);
  expect_equal("translationFromMat4(PoseToMatrix({0, 0, 0}, v))", "v", pose);
  const std::string near = Locals + "local w = normalize(u)\n";
  EXPECT_THAT(values("PoseToMatrix(w * 1.00001e-3, v)", near),
              Pointwise(DoubleNear(1e-7), values("PoseToMatrix(w * 0.99999e-3, v)", near)));
  expect_equal("PoseToMatrix(w * 0.9e-3, v)",
               "matmul(PoseToMatrix(w * 0.45e-3, v / 2), PoseToMatrix(w * 0.45e-3, v / 2))", near);
}

TEST(LanguageVectors, HasNormsOfTheRightCostAndOtherHelpers) {
  // |L_p(v, p)|^2 = |v|^p and L_1(v)^2 = |v|_1, up to the 1e-7 that keeps weights finite.
  EXPECT_NEAR(value("dot(L_p(Vector(3, 4), 0.8), L_p(Vector(3, 4), 0.8))"), std::pow(5, 0.8), 1e-6);
  EXPECT_NEAR(value("dot(L_1(Vector(a, b)), L_1(Vector(a, b)))"), 2.0, 1e-6);
  expect_equal("CameraToDepth(2, 3, 10, 20, Vector(4, 6, 2))", "14, 29");
  expect_equal("Vec3(Vector(1, 2, 3, 4)), Vec4(1, 2, 3, 4)", "1, 2, 3, 1, 2, 3, 4");
  expect_equal("SelectOnAll({greater(a, 0), less(b, 0)}, 1, 2)", "1");
}

}  // namespace
}  // namespace thallo
