-- Bodies in space: mistakes and the sentences they get. (What works: test_spatial.lua.)
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local fail = require "gen.lang.core.fail"
local load = require("gen.lang.core.load").load

local HEAD = [[
local carom = require "carom"
local m = carom.model "test"
local A = m:free_body("A", { mass = 2, inertia = { 1, 2, 3 }, at = { 50, 60, 70 } })
local B = m:free_body("B", { mass = 1, inertia = 1 })
]] -- four lines

local function read(body) return load("test.lua", { text = HEAD .. body .. "\nreturn m\n" }) end

local function refused(name, body, expected, line)
  T.test(name, function()
    local good, e = pcall(read, body)
    T.ok(not good, "the model was accepted")
    T.ok(fail.is(e), "not a located error: " .. tostring(e))
    T.eq(tostring(e), "test.lua:" .. (line or 5) .. ": error: " .. expected)
  end)
end

refused("zero quaternion", 'm:free_body("C", { mass = 1, inertia = 1, orientation = { 0, 0, 0, 0 } })',
  "orientation of free_body 'C' has the length 0; write a direction")
refused("half an orientation", 'm:free_body("C", { mass = 1, inertia = 1, orientation = { angle = 1 } })',
  "orientation of free_body 'C' is incomplete; write { w, x, y, z } or { axis = { x, y, z }, angle = ... }")
for _, case in ipairs { { "negative inertia", "{ 1, -1, 1 }" },
  { "inertia whose last minor is negative", "{ { 2, 0, 1.9 }, { 0, 2, 1.9 }, { 1.9, 1.9, 2 } }" },
  { "inertia whose second minor is negative", "{ { 1, 2, 0 }, { 2, 1, 0 }, { 0, 0, -5 } }" } } do
  refused(case[1], ('m:free_body("C", { mass = 1, inertia = %s })'):format(case[2]), "inertia of free body 'C' is not "
    .. "positive definite; write three positive moments { Ixx, Iyy, Izz } (a free body turns: it needs inertia about every axis)")
end
refused("skew inertia", 'm:free_body("C", { mass = 1, inertia = { { 2, 1, 0 }, { 0, 2, 0 }, { 0, 0, 2 } } })',
  "inertia of free body 'C' is not symmetric: entry 2,1 is 0 and entry 1,2 is 1; write the same number twice")
refused("no mass", 'm:free_body("C", { mass = 0, inertia = 1 })', "mass of free body 'C' is 0; write a positive number")
refused("mass that moves", 'm:free_body("C", { mass = A.at[1], inertia = 1 })', "mass of free body 'C' depends on 'A_x'; write a "
  .. "number or an expression of parameters")
refused("mass in metres", 'local l = m:parameter("l", 1, "m") m:parameter("k", 1, "kg") m:free_body("C", { mass = l, inertia = 1 })',
  "mass of free_body 'C' has the dimension m but must have kg; check its factors (plain numbers have no unit: give them one as "
  .. "parameter or constant)")
refused("a name twice", 'm:coordinate "A_qx"', "the name 'A_qx' is already used for the free body in line 3; choose another")
refused("two components", 'm:free_body("C", { mass = 1, inertia = 1, at = { 0, 0 } })',
  "at of free_body 'C' must be three expressions, not a table; write { x, y, z }")
refused("kinetic energy of a spin", "m:kinetic_energy(A.spin[1]^2)", "the kinetic energy depends on 'A_wx', the rotation of a "
  .. "free body; a free body brings its own kinetic energy: leave it out")
refused("a field", "local x = A.angle", "a free body has no field 'angle'; it has at, orientation, spin, point(dx, dy, dz) and "
  .. "direction(dx, dy, dz)")
refused("point with a dot", "A.point(1, 2, 3)", "point is written with a colon; write A:point(dx, dy, dz)")
local HINGE = 'local j = m:joint("J", { type = "revolute", body = B, axis = { 0, 0, 1 }, '
refused("limits beyond a half turn", HINGE .. "limits = { -1, 4 } })", "a limit of joint 'J' is 4; the angle of a joint lies between -pi "
  .. "and pi (3.14 from the start); write smaller limits")
refused("limits that exclude the start", HINGE .. "limits = { 0.5, 1 } })", "contact 'J_low' is penetrated at the start: its gap is "
  .. "-0.5; change the initial values so that it is at least 0, or let them be projected: --assemble, or m:run { assemble = true }")
refused("limits the wrong way round", HINGE .. "limits = { 1, -0.5 } })",
  "limits of joint 'J' are 1 and -0.5; write { low, high }, the lower one first")
refused("limits that move", HINGE .. "limits = { -1, A.at[1] } })",
  "limits of joint 'J' depends on 'A_x'; write numbers or expressions of parameters")
refused("restitution without limits", HINGE .. "restitution = 0.5 })",
  "joint 'J' has restitution but no limits; write limits = { low, high }")
refused("motor of a joint with two freedoms", 'm:joint("J", { type = "cylindrical", body = B, axis = { 0, 0, 1 }, motor = 1 })',
  "joint 'J' is cylindrical: motor is for joints of one freedom, revolute and prismatic; write m:contact or m:force")
refused("a field of a joint", HINGE .. "}) local x = j.slide", "joint 'J' has no field 'slide'; it has force, torque, angle and rate")
refused("a field to set", HINGE .. "}) j.angle = 1", "a joint has no fields to set; give its options where it is declared")
refused("friction where there is none", 'local c = m:contact("c", { gap = A.at[3] }) local x = c.friction',
  "contact 'c' has no field 'friction'; it has gap, rate and force")
refused("the rate of a force", 'local c = m:contact("c", { gap = A.at[3] }) local x = c.force.dot',
  "'c.force' has no .dot: the force of the last step is one number")
refused("a gap that depends on a force", 'local c = m:contact("c", { gap = A.at[3] }) m:contact("d", { gap = A.at[1] * c.force })',
  "gap of contact 'd' depends on a force of the last step ('c.force'); write it with coordinates, time and parameters")
refused("force half in space", "m:force { at = A.at, value = { 1, 2 } }",
  "at and value of force have 3 and 2 components; give both two, or both three in space")
refused("torque without a body", "m:force { torque = { 1, 2, 3 } }",
  "a torque of three components needs the free body it acts on; write body = ...")
refused("torque on a body as one number", "m:force { torque = 1, body = A }",
  "a torque on a free body has three components and no angle; write body = ..., torque = { tx, ty, tz }")
refused("spring half in space", "m:spring { between = { A.at, { 0, 0 } }, stiffness = 1 }",
  "between of this spring has one point in the plane and one in space; give both two components or both three")
refused("plane and space", 'm:contact_between(m:sphere("s", { radius = 1, body = A }), m:plane "g")', "plane 'g' is in the plane "
  .. "and sphere 's' in space; give both three components, as in normal = { 0, 0, 1 }")
refused("disk on a free body", 'm:disk("d", { radius = 1, body = A })',
  "body of disk 'd' must be a body, not a free body; give what m:body returned")
refused("box without size", 'm:box("b", { width = 1, body = A })',
  "box 'b' is on a free body and needs three lengths; write size = { a, b, c }")
refused("a pair without a rule", 'm:contact_between(m:cylinder("a", { radius = 1, length = 1, body = A }), m:box("b", { size = '
  .. '{ 1, 1, 1 }, body = B }))', "a contact between cylinder 'a' and box 'b' is not covered; covered are sphere-sphere, "
  .. "sphere-plane, sphere-box, sphere-capsule, box-plane, capsule-plane, cylinder-plane, sphere-surface, sphere-cylinder, "
  .. "sphere-heightfield, box-box, box-heightfield, capsule-box, capsule-capsule, capsule-heightfield, "
  .. "sphere-polyhedron, capsule-polyhedron, box-polyhedron, polyhedron-polyhedron, polyhedron-plane, polyhedron-heightfield; for "
  .. "others write m:contact with a gap")
refused("chosen corners against a brick", 'm:contact_between(m:box("a", { size = { 1, 1, 1 }, corners = { 1 }, body = A }), m:box("b", '
  .. '{ size = { 1, 1, 1 }, body = B }))', "box 'a' has chosen corners, but against box 'b' all of it touches; leave out corners")
refused("an upright cylinder", 'm:contact_between(m:cylinder("c", { radius = 1, length = 1, body = A }), m:plane("p", { normal = '
  .. '{ 0, 0, 1 } }))', "rate of the gap of contact 'c_p_1' is not a number (NaN) at the start; change the initial values or "
  .. "the expression")
local OR = ", or let them be projected: --assemble, or m:run { assemble = true }"
refused("penetration", 'm:contact_between(m:sphere("s", { radius = 100, body = A }), m:plane("p", { normal = { 0, 0, 1 } }))',
  "contact 's_p' is penetrated at the start: its gap is -30; change the initial values so that it is at least 0" .. OR)
refused("a joint elsewhere", 'm:joint("j", { type = "spherical", body = A, to = { 0, 60, 70 } })',
  "constraint 'j_1' is violated at the start: its expression is 50, not 0; change the initial values" .. OR)
refused("a hinge without axis", 'm:joint("j", { type = "revolute", body = A })',
  "joint 'j' is revolute and needs an axis; write axis = { x, y, z } in the frame of the body")
refused("a joint with itself", 'm:joint("j", { type = "fixed", body = A, on = A })',
  "joint 'j' joins a body to itself; give two bodies")

refused("no such joint", 'm:joint("j", { type = "ball", body = A })', "type of joint 'j' is 'ball'; write \"spherical\" or "
  .. "\"universal\" or \"revolute\" or \"cylindrical\" or \"prismatic\" or \"planar\" or \"fixed\"")
refused("a joint that wanders", 'm:joint("j", { type = "spherical", body = A, to = { B.at[1], 60, 70 } })',
  "to of joint 'j' depends on 'B_x'; write numbers or expressions of parameters")
refused("a planar body that turns in space", 'm:body("p", { mass = 1, at = { A:point(1, 0, 0)[1], 0 } })', "the place of body 'p' "
  .. "depends on 'A_qy', the rotation of a free body; a free body brings its own kinetic energy: leave it out")
refused("a velocity against the joint", 'local C = m:free_body("C", { mass = 1, inertia = 1, velocity = { 1, 0, 0 } }) '
  .. 'm:joint("j", { type = "spherical", body = C })', "constraint 'j_1' is violated by the initial velocities: its rate is 1, "
  .. "not 0; change the velocity options" .. OR)

T.test("gravity along z without a free body", function()
  T.fails(function()
    load("x.lua", { text = 'local m = require("carom").model "x"\nlocal q = m:coordinate "q"\nm:kinetic_energy(q.dot^2)\n'
      .. "m:gravity(0, 0, -1)\nreturn m" })
  end, "gravity has a third component but there is no free body and no link; write m:gravity%(gx, gy%)")
end)

T.finish()
