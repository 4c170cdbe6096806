-- Mechanisms beside meshes in one model. What is compared with is the same written out: every free displacement a coordinate, every cell a
-- quadratic energy (the constant-strain triangle, computed here), every contact and tie a row of its own, in straight code.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local pipeline = require "gen.pipeline"
local S = require "tests.e2e.support"
local grid = require "gen.fem.grid"
local mixed = require "tests.e2e.mixed"

local function whole(text) return 'local carom = require "carom"\nlocal m = carom.model "test"\n' .. text .. "\nreturn m\n" end

local mechanism, meshed, spatial, space = mixed.mechanism, mixed.meshed, mixed.spatial, mixed.space
local NX, NY, LX, LY, E, nu, rho = mixed.plate.NX, mixed.plate.NY, mixed.plate.LX, mixed.plate.LY, mixed.plate.E, mixed.plate.nu,
  mixed.plate.rho

-- energy of a triangle: 1/2 A e^T D e with plane strain, e from the gradients of the shape functions
local function written_out(friction)
  local made = grid.make({ cells = { NX, NY }, size = { LX, LY }, origin = { 0, 0 } }, "tri3")
  local lines = { mechanism, "local X, u, press = {}, {}, 0", "local function free(n, k, at)",
    'u[n] = u[n] or {}; X[n] = X[n] or {}; X[n][k] = at; u[n][k] = m:coordinate("n" .. n .. "_" .. k, { unit = "m" }) end' }
  local mass = {}
  for n, at in ipairs(made.nodes) do
    mass[n] = 0.0
    for k = 1, 2 do lines[#lines + 1] = ("free(%d, %d, %.17g)"):format(n, k, at[k]) end
  end
  local c = E / ((1 + nu) * (1 - 2 * nu))
  for _, nodes in ipairs(made.cells) do
    local P = {}
    for i, n in ipairs(nodes) do P[i] = made.nodes[n] end
    local area = ((P[2][1] - P[1][1]) * (P[3][2] - P[1][2]) - (P[3][1] - P[1][1]) * (P[2][2] - P[1][2])) / 2
    local exx, eyy, gxy = {}, {}, {}
    for i = 1, 3 do
      local j, l, n = i % 3 + 1, (i + 1) % 3 + 1, nodes[i]
      local bx, by = (P[j][2] - P[l][2]) / (2 * area), (P[l][1] - P[j][1]) / (2 * area)
      exx[i], eyy[i] = ("(%.17g) * u[%d][1]"):format(bx, n), ("(%.17g) * u[%d][2]"):format(by, n)
      gxy[i] = ("(%.17g) * u[%d][1] + (%.17g) * u[%d][2]"):format(by, n, bx, n)
      mass[n] = mass[n] + rho * area / 3
    end
    lines[#lines + 1] = ("do local e1, e2, g = %s, %s, %s"):format(table.concat(exx, "+"), table.concat(eyy, "+"), table.concat(gxy, "+"))
    lines[#lines + 1] = ("m:potential_energy(%.17g * (%.17g * (e1^2 + e2^2) + %.17g * e1 * e2 + %.17g * g^2)) end"):format(area / 2,
      c * (1 - nu), 2 * c * nu, c * (1 - 2 * nu) / 2)
  end
  local last = NX + 1
  for n, at in ipairs(made.nodes) do
    lines[#lines + 1] = ("m:kinetic_energy(%.17g * (u[%d][1].dot^2 + u[%d][2].dot^2))"):format(mass[n] / 2, n, n)
    lines[#lines + 1] = ("m:potential_energy(%.17g * u[%d][2])"):format(9.81 * mass[n], n)
    if at[1] == 0 then -- on the carriage, which starts at (-0.1, 0.1), turned by 0.1
      lines[#lines + 1] = ([[do local c, s0 = math.cos(0.1), math.sin(0.1)
local dx, dy = %.17g + 0.1, %.17g - 0.1
local p = carriage:point(c * dx + s0 * dy, -s0 * dx + c * dy)
m:constraint("t%d_x", X[%d][1] + u[%d][1] - p[1]); m:constraint("t%d_y", X[%d][2] + u[%d][2] - p[2]) end]]):format(at[1], at[2], n, n, n,
        n, n, n)
    end
    if at[2] == LY then
      lines[#lines + 1] = ([[do local dx, dy = X[%d][1] + u[%d][1] - x, X[%d][2] + u[%d][2] - y
local l = carom.sqrt(dx^2 + dy^2)
local n1, n2 = dx / l, dy / l
press = press + m:contact("hit_%d", { gap = l - 0.1, friction = %g,
  slip = -n2 * (u[%d][1].dot - x.dot) + n1 * (u[%d][2].dot - y.dot) - 0.1 * a.dot }).force end]]):format(n, n, n, n, n, friction, n, n)
    end
  end
  lines[#lines + 1] = ([[
local corner = { X[%d][1] + u[%d][1], X[%d][2] + u[%d][2] }
m:spring("leg", { between = { corner, { 0.6, -0.2 } }, stiffness = 3000, rest = 0.2 })
m:damper("dash", { length = corner[2] - y, damping = 20 })
m:output("corner", corner[2])
m:output("corner_speed", corner[2].dot)
m:output("press", press)]]):format(last, last, last, last)
  return table.concat(lines, "\n")
end

local function run(text, scheme, step, until_time, form)
  local unit = S.unit({ text = whole(text) }, scheme, { form = form })
  return S.compile(unit, { flags = "-O1 " .. S.strict }):run { step = step, until_time = until_time, csv = true }
end

local names = { "x", "y", "a", "s", "tilt", "x.dot", "y.dot", "a.dot", "s.dot", "tilt.dot", "corner", "corner_speed" }

local function compare(scheme, tolerance, form)
  local mine, other = run(meshed, scheme, 5e-4, 0.05), run(written_out(0.3), (scheme:gsub(",?lumped=on", "")), 5e-4, 0.05, form)
  local last, known = mine.rows[#mine.rows], other.rows[#other.rows]
  for _, name in ipairs(names) do
    T.near(last[name], known[name], tolerance * math.max(1, math.abs(known[name])), scheme .. ": " .. name)
  end
  T.ok(mine.outputs["hit.impulse"] > 1, "it hits")
  for i, row in ipairs(mine.rows) do T.near(row["hit.force"], other.rows[i]["press"], 1e-3 * math.abs(row["hit.force"]) + 1e-6, "force") end
end

T.test("tie, shape with friction, springs, input: as written out, D-:M=1", function() compare("D-:M=1", 1e-9) end)
T.test("tie, shape with friction, springs, input: as written out, moreau-jean", function()
  compare("moreau-jean:theta=0.5,lumped=on", 1e-8)
end)
T.long_test("tie, shape with friction, springs, input: as written out, D-:M=2, D+:M=1, projection", function()
  for _, scheme in ipairs { "D-:M=2,tg=1e-10", "D+:M=1,lumped=on,tg=1e-10", "D-:M=1,projection=on,tg=1e-10" } do
    compare(scheme, 1e-9)
  end
end)

T.test("in space: a sphere with friction and a tie to a free body are the rows of each node", function()
  local mine = run(spatial .. space, "D-:M=1", 5e-4, 0.03)
  local other = run(spatial .. [[
for i = 1, 2 do for j = 0, 2 do -- the nodes at x = 0 are held: they hit nothing here
  local p = m:node(block, { 0.2 * i, 0.2 * j, 0.2 })
  local d = { p[1] - ball.at[1], p[2] - ball.at[2], p[3] - ball.at[3] }
  local l = carom.sqrt(d[1]^2 + d[2]^2 + d[3]^2)
  local n = { d[1] / l, d[2] / l, d[3] / l }
  local w = ball:direction(ball.spin[1], ball.spin[2], ball.spin[3])
  local u = { p[1].dot - ball.at[1].dot - 0.1 * (w[2] * n[3] - w[3] * n[2]),
    p[2].dot - ball.at[2].dot - 0.1 * (w[3] * n[1] - w[1] * n[3]), p[3].dot - ball.at[3].dot - 0.1 * (w[1] * n[2] - w[2] * n[1]) }
  local s = carom.sqrt(n[1]^2 + n[3]^2)
  local t = { n[3] / s, 0, -n[1] / s }
  local b = { n[2] * t[3], n[3] * t[1] - n[1] * t[3], -n[2] * t[1] }
  m:contact("hit" .. i .. j, { gap = l - 0.1, friction = 0.4,
    slip = { t[1] * u[1] + t[3] * u[3], b[1] * u[1] + b[2] * u[2] + b[3] * u[3] } })
end end
for j = 0, 2 do for k = 0, 1 do
  local p, d = m:node(block, { 0.4, 0.2 * j, 0.2 * k }), { -0.1, 0.2 * j - 0.2, 0.2 * k - 0.1 }
  local r = head:point(0.28 * d[1] - 0.96 * d[3], d[2], 0.96 * d[1] + 0.28 * d[3])
  for i = 1, 3 do m:constraint("t" .. j .. k .. i, p[i] - r[i]) end
end end]], "D-:M=1", 5e-4, 0.03)
  local last, known = mine.rows[#mine.rows], other.rows[#other.rows]
  T.ok(mine.outputs["hit.impulse"] > 0.5 and math.abs(known.ball_wz - 1) > 1e-3, "it hits and rubs")
  for _, name in ipairs { "ball_x", "ball_z", "ball_qy", "ball_x.dot", "ball_y.dot", "ball_z.dot", "ball_wx", "ball_wy", "ball_wz",
    "head_x", "head_z", "head_qx", "head_z.dot", "head_wy", "kinetic", "elastic" } do
    T.near(last[name], known[name], 1e-7 * math.max(1, math.abs(known[name])), name)
  end
end)

-- contacts that are found beside those of a mesh, as if all of them were written
local heap = [[
m:gravity(0, 0, -9.81)
local block = m:mesh("block", { cells = { 2, 2, 1 }, size = { 0.4, 0.4, 0.1 }, unit = "m" })
m:elastic(block, { E = 3e7, nu = 0.3, rho = 1000 })
m:fix(block, "left")
local shapes = { m:plane("ground", { normal = { 0, 0, 1 }, at = { 0, 0, -0.5 } }) }
for i = 1, 3 do
  local b = m:free_body("b" .. i, { mass = 1, inertia = 0.004, at = { 1 + 0.01 * i, 0, -0.615 + 0.22 * i } })
  shapes[#shapes + 1] = m:sphere("s" .. i, { body = b, radius = 0.1 })
end
local c = m:free_body("c", { mass = 1, inertia = 0.004, at = { 0.205, 0.2, 0.21 }, velocity = { 0.1, 0, -0.5 } })
shapes[#shapes + 1] = m:sphere("s4", { body = c, radius = 0.1 })
m:contact_surface("hit", { mesh = block, boundary = "top", against = shapes[5], friction = 0.3 })
]]

T.test("contacts that are found, and a mesh: as all written", function()
  for _, scheme in ipairs { "moreau-jean:theta=0.5", "D-:M=1" } do
    local mine = run(heap .. "m:contacts_among(shapes, { friction = 0.3 })", scheme, 5e-4, 0.1)
    local other = run(heap .. [[
for i = 1, 5 do for j = i + 1, 5 do m:contact_between(shapes[i], shapes[j], { friction = 0.3 }) end end]], scheme, 5e-4, 0.1)
    local last, known, most = mine.rows[#mine.rows], other.rows[#other.rows], 0
    for _, name in ipairs { "b1_z", "b2_x", "b3_z.dot", "b2_wy", "c_z", "c_wx", "c_wy", "kinetic", "elastic" } do
      T.near(last[name], known[name], 1e-6 * math.max(1, math.abs(known[name])), scheme .. ": " .. name)
    end
    for i, row in ipairs(mine.rows) do
      for _, name in ipairs { "hit.force", "hit.force.x", "hit.force.z" } do
        T.near(row[name], other.rows[i][name], 1e-5 * math.abs(other.rows[i][name]) + 1e-3, name)
      end
      most = math.max(most, row["hit.force"])
    end
    T.ok(most > 100 and math.abs(known.b2_wy) > 0.1, "it hits, and stones roll")
  end
end)

T.test("a bar against a mass: the wave that a rigid hammer sends", function()
  -- force of a mass M with speed v on a long bar: rho c A v exp(-rho c A t / M)
  local run_of = run([[
local bar = m:mesh("bar", carom.bar { cells = 200, length = 2, section = 1e-4 })
m:elastic(bar, { E = 200e9, rho = 8000 })
local q = m:coordinate("q", { unit = "m", velocity = 1 })
m:kinetic_energy(0.3 * q.dot^2 / 2)
m:contact_surface("hit", { mesh = bar, boundary = "left", gap = function(x, t) return x - q end })]], "moreau-jean:theta=0.6", 1e-6, 3.5e-4)
  local z = 8000 * 5000 * 1e-4
  for _, t in ipairs { 1e-4, 2e-4, 3e-4 } do
    local row = run_of.rows[math.floor(t / 1e-6 + 0.5) + 1]
    T.near(row["q.dot"], math.exp(-z * t / 0.3), 5e-3, "speed of the hammer")
    T.near(row["hit.force"], z * math.exp(-z * t / 0.3), 0.02 * z, "force")
  end
end)

local block = [[
local block = m:mesh("block", { cells = { 2, 2 }, size = { 1, 1 }, unit = "m" })
m:elastic(block, { E = 1e6, nu = 0.3, rho = 1000 })
local x = m:coordinate("x", { unit = "m", initial = 2, velocity = %s })
local y = m:coordinate("y", { unit = "m", initial = 1 })
local body = m:body("body", { mass = 1, at = { x, y } })
]]

T.test("what cannot be meant beside a mesh is said", function()
  local function refused(text, pattern, speed)
    T.fails(function() S.unit({ text = whole(block:format(speed or "0") .. text) }, "D-:M=1") end, pattern)
  end
  refused([[m:contact_surface("c", { mesh = block, boundary = "top" })]], "needs either gap or against")
  refused([[m:contact_surface("c", { mesh = block, boundary = "top", against = m:box("b", { body = body, width = 1, height = 1 }) })]],
    "against box 'b' is not covered; covered are disk, plane, segment, arc in the plane")
  refused([[m:contact_surface("c", { mesh = block, boundary = "top", gap = function(X, Y) return y - Y end, friction = 0.1 })]],
    "write against = a shape of the body")
  refused([[m:fix(block, "left")
local p = m:node(block, { 0, 0 })
m:spring("s", { between = { p, body.at }, stiffness = 1 })]], "is held along x by m:fix")
  refused([[m:tie("weld", { mesh = block, boundary = "right", body = body })]],
    "has another velocity than the body, by %-0.3 along x", "0.3")
  local loaded = pipeline.load("inline.lua", { text = whole(block:format("0")) })
  T.fails(function() pipeline.compile_large(loaded, { scheme = "moreau-jean:solver=tnn" }) end,
    "solver=tnn is not for coordinates beside meshes on PETSc; write solver=nsgs")
  local swing = pipeline.load("inline.lua", { text = whole(block:format("0")
    .. 'local p = m:link("p", { joint = "revolute", mass = 1, inertia = 1, center = { 1, 0, 0 } })\n'
    .. 'm:link("r", { parent = p, joint = "revolute", mass = 1, inertia = 1, at = { 1, 0, 0 }, center = { 1, 0, 0 } })') })
  T.fails(function() pipeline.compile_large(swing, { scheme = "moreau-jean" }) end, "whose mass depends on where they are.-write mass=end")
  T.ok(pipeline.compile_large(swing, { scheme = "moreau-jean:mass=end" }))
  refused([[m:start(block, { displacement = { 0.1, 0 } })
m:tie("weld", { mesh = block, boundary = "right", body = body })]], "off by 0.1 along x")
  refused([[m:fix(block, "right")
m:tie("weld", { mesh = block, boundary = "right", body = body })]], "held by m:fix and tied")
  refused([[local p = m:node(block, { 1, 1 })
m:constraint("c", p[1] - x)]], "constraint 'c' is violated at the start")
end)

S.finish()
