-- The kernels of finite-element models: the emitted C against the expressions it came from, against differences, and against
-- what must hold for every element: rigid motions, constant strain, volume, mass. Needs no PETSc.
package.path = "./?.lua;" .. package.path
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local P = require "gen.pipeline"
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local cells = require "gen.fem.cells"
local element = require "tests.oracle.element"
local eval = require("gen.expr.eval").eval
local fs = require "gen.util.fs"
local grid = require "gen.fem.grid"
local materials = require "gen.fem.material"

local function list(d, ...) return table.concat({ ... }, ", ", 1, d) end

-- a model with everything in it; places and what belongs to them by the number of dimensions
local function text_of(kind, law, d, extra)
  local material = law == "elastic" and "m:elastic(b, { E = young, nu = 0.3, rho = rho, damping = { mass = 2, stiffness = 0.5 } })"
    or [[m:hyperelastic(b, { rho = rho, damping = { mass = 2, stiffness = 0.5 }, energy = function(F)
      local J, I = ]] .. (d == 1 and "F[1][1], F[1][1]^2" or d == 2
      and "carom.det(F), F[1][1]^2 + F[1][2]^2 + F[2][1]^2 + F[2][2]^2 + F[3][3]^2"
      or "carom.det(F), F[1][1]^2 + F[1][2]^2 + F[1][3]^2 + F[2][1]^2 + F[2][2]^2 + F[2][3]^2 + F[3][1]^2 + F[3][2]^2 + F[3][3]^2") .. [[

      return young * (0.2 * (I - ]] .. (d == 1 and 1 or 3) .. [[ - 2 * carom.log(J)) + 0.3 * carom.log(J)^2 + 0.01 * (J - 1)^4)
    end })]]
  return ([[
local carom = require "carom"
local m = carom.model "kernels"
local young, rho = m:parameter("young", 7), m:parameter("rho", 3)
local b = m:mesh("b", { cells = { %s }, size = { %s }, cell = "%s"%s })
%s
m:body_force(b, function(%s, t) return { %s } end)
m:traction(b, "right", function(%s, t) return { %s } end)
m:fix(b, "left", { motion = function(%s, t) return { %s } end })
m:start(b, { velocity = function(%s) return { %s } end })
m:contact_surface("wall", { mesh = b, boundary = "right", restitution = 0.25, %s
  gap = function(%s, t) return %s end })
m:run { until_time = 1, step = 0.1, scheme = "moreau-jean:theta=0.5" }
return m]]):format(list(d, 2, 2, 2), list(d, "2", "3", "2.5"), kind, extra or "", material,
    list(d, "X", "Y", "Z"), list(d, "X", "5 + 0*t", "t - X"),
    list(d, "X", "Y", "Z"), list(d, "2 + t", "X", "Y"),
    list(d, "X", "Y", "Z"), list(d, "X * t^2", "false", "carom.sin(3 * t)"),
    list(d, "X", "Y", "Z"), list(d, "-X", "rho", "4"),
    d > 1 and "friction = rho / 10," or "", list(d, "x", "y", "z"),
    ({ "4 - x - t*x", "4 - carom.sqrt(x^2 + y^2) - t*y", "4 - carom.sqrt(x^2 + y^2 + z^2) - t*y" })[d])
end

-- deterministic numbers in [-1, 1]
local state = 1
local function random()
  state = (state * 1103515245 + 12345) % 2147483648
  return state / 1073741824 - 1
end

local function flat(rows)
  local words = {}
  for _, row in ipairs(rows) do for _, x in ipairs(row) do words[#words + 1] = ("%.17g"):format(x) end end
  return table.concat(words, " ")
end

local Kernel = {}
Kernel.__index = Kernel

-- Asks the compiled kernels a list of questions; each answer is a list of numbers.
function Kernel:ask(questions)
  local file = self.dir .. "/questions"
  assert(fs.write(file, table.concat(questions, "\n") .. "\n"))
  local answers = {}
  for line in S.command(("%s/run <%s"):format(self.dir, file)):gmatch("[^\n]+") do
    local row = {}
    for word in line:gmatch("%S+") do row[#row + 1] = tonumber(word) end
    answers[#answers + 1] = row
  end
  return table.unpack(answers)
end

-- what asks the kernels, compiled once
local asker
local function main_object()
  if not asker then
    asker = S.place "main" .. "/fem_kernels.o"
    S.command(("gcc %s %s -O1 -I%s/runtime/include -c %s/tests/fem_kernels.c -o %s"):format(S.base, S.strict, fs.quote(S.here),
      fs.quote(S.here), asker))
  end
  return asker
end

local function build(kind, law, extra)
  local d = cells[kind].dimension
  local loaded = P.load("inline.lua", { text = text_of(kind, law, d, extra) })
  local unit = P.compile_large(loaded)
  local dir = S.place(kind)
  assert(fs.write_all(dir, unit.files))
  S.command(("cd %s && gcc %s %s -O2 -I%s/runtime/include -o run kernels.c %s -lm"):format(dir, S.base, S.strict, fs.quote(S.here),
    main_object()))
  return setmetatable({ dir = dir, mesh = loaded.meshes[1], model = loaded, cell = cells[kind], d = d }, Kernel)
end

-- a cell a little out of shape, and small displacements
local function distorted(cell, shake)
  local X, u = {}, {}
  for a, place in ipairs(cell.places) do
    X[a], u[a] = {}, {}
    for k, x in ipairs(place) do X[a][k], u[a][k] = x + shake * random(), 0.1 * random() end
  end
  return X, u
end

local function close(actual, expected, tolerance, what)
  local scale = 1e-300
  for _, x in ipairs(expected) do scale = math.max(scale, math.abs(x)) end
  for i, x in ipairs(expected) do
    local error_ = math.abs(actual[i] - x)
    if error_ ~= error_ or error_ > tolerance * scale then
      error(("%s, entry %d: %.17g instead of %.17g"):format(what, i, actual[i], x), 2)
    end
  end
end

local function symbols(name, n, d)
  local S_, all = {}, {}
  for a = 1, n do
    S_[a] = {}
    for k = 1, d do
      S_[a][k] = E.sym(("%s_%d_%d"):format(name, a, k), "q")
      all[#all + 1] = S_[a][k]
    end
  end
  return S_, all
end

local function environment(model, list_, rows)
  local env, i = { [model.time] = 0.0 }, 0
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, row in ipairs(rows or {}) do
    for _, x in ipairs(row) do
      i = i + 1
      env[list_[i]] = x
    end
  end
  return env
end

-- a rotation (large, or small and linear) applied to places: displacements
local function turned(X, small)
  local u, c, s = {}, math.cos(0.7), math.sin(0.7)
  if small then c, s = 1, 0.7 end
  for a, x in ipairs(X) do
    u[a] = table.move(x, 1, #x, 1, {})
    if #x >= 2 then u[a][1], u[a][2] = c * x[1] - s * x[2], s * x[1] + c * x[2] end
    if #x == 3 then -- and about another axis
      local y, z = u[a][2], u[a][3]
      u[a][2], u[a][3] = c * y - s * z, s * y + c * z
      if small then u[a][2], u[a][3] = s * x[1] + x[2] - s * x[3], x[3] + s * x[2] end
    end
    for k = 1, #x do u[a][k] = u[a][k] - x[k] + 0.3 end
  end
  return u
end

-- nodes of a grid of 2 cells each way, the inner ones moved off their places; the forces of all cells on the inner node
local function patch(kernel, gradient)
  local d = kernel.d
  local made = grid.make(kernel.mesh.source, kernel.mesh.cell)
  local middle
  for i, x in ipairs(made.nodes) do
    local inside = true
    for k = 1, d do
      inside = inside and x[k] > 1e-9 and x[k] < kernel.mesh.source.size[k] - 1e-9
    end
    if inside then
      middle = i
      for k = 1, d do x[k] = x[k] + 0.1 * random() end
    end
  end
  local questions, at = {}, {}
  for _, cell in ipairs(made.cells) do
    local X, u = {}, {}
    for a, node in ipairs(cell) do
      X[a], u[a] = made.nodes[node], {}
      for i = 1, d do
        local sum = 0
        for k = 1, d do sum = sum + gradient[i][k] * X[a][k] end
        u[a][i] = sum
      end
      if node == middle then at[#questions + 1] = a end
    end
    questions[#questions + 1] = "cell " .. flat(X) .. " " .. flat(u) .. " force stress"
  end
  local answers = { kernel:ask(questions) }
  local sum, scale, stress = { 0, 0, 0 }, 0, {}
  for q = 1, #questions do
    local f = answers[2 * q - 1]
    stress[q] = answers[2 * q]
    T.eq(f[#f], 0)
    for i = 1, #f - 1 do scale = math.max(scale, math.abs(f[i])) end
    for k = 1, d do if at[q] then sum[k] = sum[k] + f[(at[q] - 1) * d + k] end end
  end
  return sum, scale, stress
end

for _, kind in ipairs(cells.names) do
  for _, law in ipairs { "elastic", "hyperelastic" } do
    local kernel
    local title = kind .. " " .. law .. ": "
    T.test(title .. "is warning-free C", function() kernel = build(kind, law) end)
    if kernel then
      local cell, d, mesh = kernel.cell, kernel.d, kernel.mesh
      local X, u = distorted(cell, 0.1)
      local here = "cell " .. flat(X) .. " " .. flat(u)

      T.test(title .. "energy, force, masses are those of the expressions", function()
        local U, all = symbols("u", cell.nodes, d)
        local energy = element.energy(mesh, materials.of(mesh), X, U)
        local env, memo = environment(kernel.model, all, u), {}
        local gradient = {}
        for i, node in ipairs(D.gradient(energy, all)) do gradient[i] = eval(node, env, memo) end
        local w, f, m, l = kernel:ask { here, "energy", "force", "mass", "lumped" }
        close(w, { eval(energy, env, memo), eval(materials.of(mesh).wave_speed, env) }, 1e-12, "energy, wave speed")
        close(f, gradient, 1e-11, "force")
        T.eq(f[#f], 0)
        local rho, consistent, lumped, total = 3.0, {}, {}, 0
        local m0, volume = element.mass(mesh, X), 0
        for _, point in ipairs(cell.mass_points) do volume = volume + select(2, element.geometry(cell, X, point)) end
        for a = 1, cell.nodes do
          lumped[a] = 0
          for b = 1, cell.nodes do
            consistent[#consistent + 1] = rho * m0[a][b]
            lumped[a] = lumped[a] + rho * m0[a][b]
          end
          total = total + l[a]
        end
        close(m, consistent, 1e-13, "mass")
        close(l, lumped, 1e-13, "lumped mass")
        close({ total }, { rho * volume }, 1e-13, "total mass")
      end)

      T.test(title .. "the tangent is the derivative of the force, and symmetric", function()
        local n, h = cell.nodes * d, 1e-6
        local questions = { here, "tangent" }
        for j = 1, n do
          for _, sign in ipairs { 1, -1 } do
            local v = {}
            for a = 1, cell.nodes do v[a] = table.move(u[a], 1, d, 1, {}) end
            local a, k = (j - 1) // d + 1, (j - 1) % d + 1
            v[a][k] = v[a][k] + sign * h
            questions[#questions + 1] = "cell " .. flat(X) .. " " .. flat(v) .. " force"
          end
        end
        local answers = { kernel:ask(questions) }
        local K, expected = answers[1], {}
        for i = 1, n do
          for j = 1, n do
            expected[(i - 1) * n + j] = (answers[2 * j][i] - answers[2 * j + 1][i]) / (2 * h)
            T.eq(K[(i - 1) * n + j], K[(j - 1) * n + i], "symmetry")
          end
        end
        close(K, expected, 2e-8, "tangent")
        T.eq(K[n * n + 1], 0)
      end)

      T.test(title .. "cells in lanes get the force that each gets alone", function()
        local r = kernel:ask { here, "lanes" }
        T.ok(r[1] <= 1e-13 * r[2], ("difference %g of %g"):format(r[1], r[2]))
        T.eq(r[3], 0)
      end)

      T.test(title .. "rigid motions give no force", function()
        local v = turned(X, law == "elastic")
        local f, w, s = kernel:ask { "cell " .. flat(X) .. " " .. flat(v), "force", "energy", "stress" }
        for i = 1, #f do T.ok(math.abs(f[i]) < 2e-14 * 7 * 10, ("force %d is %g"):format(i, f[i])) end
        T.ok(math.abs(w[1]) < 1e-13, "energy " .. w[1])
        for i = 1, 6 do T.ok(math.abs(s[i]) < 1e-13, ("stress %d is %g"):format(i, s[i])) end
      end)

      T.test(title .. "constant strain: no force inside a patch of distorted cells, one stress", function()
        local A = {}
        for i = 1, d do A[i] = {} for k = 1, d do A[i][k] = 0.05 * random() end end
        local sum, scale, stress = patch(kernel, A)
        for k = 1, d do T.ok(math.abs(sum[k]) < 1e-14 * 50 * scale, ("force %g of %g"):format(sum[k], scale)) end
        for q = 2, #stress do close(stress[q], stress[1], 1e-12, "stress of cell " .. q) end
        if law == "elastic" then
          local trace, lambda, mu = 0, 7 * 0.3 / (1.3 * 0.4), 7 / 2.6
          for k = 1, d do trace = trace + A[k][k] end
          local expected = d == 1 and { 7 * A[1][1], 0, 0, 0, 0, 0 }
            or { lambda * trace + 2 * mu * A[1][1], lambda * trace + 2 * mu * A[2][2],
            lambda * trace + (A[3] and 2 * mu * A[3][3] or 0), A[3] and mu * (A[2][3] + A[3][2]) or 0,
            A[3] and mu * (A[1][3] + A[3][1]) or 0, mu * (A[1][2] + A[2][1]) }
          close(stress[1], expected, 1e-12, "Hooke")
        end
      end)

      T.test(title .. "loads, tractions, motions, gaps, laws", function()
        local face = cells[cell.face]
        local XF = {}
        for a, node in ipairs(cell.faces[2]) do XF[a] = X[node] end
        local t, h = 0.4, 1e-5
        local place = {}
        for k = 1, d do place[k] = 0.3 + 0.2 * k end
        local function at(word, time, list_) return ("%s %.17g %s"):format(word, time, flat { list_ }) end
        local questions = { here, "load 0.4", "traction 0.4 " .. flat(XF), "law", "start " .. flat { place },
          at("motion", t, place), at("motion", t + h, place), at("motion", t - h, place),
          at("gap", t, place), at("gap", t + h, place), at("gap", t - h, place) }
        for k = 1, d do
          for _, sign in ipairs { 1, -1 } do
            local moved = table.move(place, 1, d, 1, {})
            moved[k] = moved[k] + sign * h
            questions[#questions + 1] = at("gap", t, moved)
          end
        end
        local r = { kernel:ask(questions) }
        local env = environment(kernel.model)
        env[kernel.model.time] = t
        local function values(rows)
          local numbers = {}
          for _, row in ipairs(rows) do for _, node in ipairs(row) do numbers[#numbers + 1] = eval(E.lift(node), env) end end
          return numbers
        end
        close(r[1], values(element.load(mesh, X)), 1e-12, "load")
        close(r[2], values(element.traction(mesh, kernel.model.tractions[1], XF)), 1e-12, "traction")
        T.eq(#r[2], face.nodes * d)
        close(r[3], { 0.25, d > 1 and 0.3 or 0, 2, 0.5 }, 1e-15, "law and damping")
        close(r[4], ({ { 0, -0.5 }, { 0, 0, -0.5, 3 }, { 0, 0, 0, -0.5, 3, 4 } })[d], 1e-15, "start")
        for k = 1, d do
          T.ok(math.abs(r[5][d + k] - (r[6][k] - r[7][k]) / (2 * h)) < 1e-8, "rate of the motion")
          T.ok(math.abs(r[8][2 + k] - (r[9 + 2 * k][1] - r[10 + 2 * k][1]) / (2 * h)) < 1e-8, "gradient of the gap")
        end
        T.ok(math.abs(r[8][2] - (r[9][1] - r[10][1]) / (2 * h)) < 1e-8, "rate of the gap")
      end)

      T.test(title .. "an inverted cell is refused", function()
        local Y, v = {}, {}
        for a = 1, cell.nodes do
          Y[a], v[a] = table.move(X[a], 1, d, 1, {}), {}
          Y[a][1] = -Y[a][1]
          for k = 1, d do v[a][k] = k == 1 and -2.5 * X[a][1] or 0 end
        end
        local still = "cell " .. flat(Y) .. " " .. flat(u)
        local f, K, l = kernel:ask { still, "force", "tangent", "lanes" }
        T.eq(f[#f], 1)
        T.eq(K[#K], 1)
        T.eq(l[3], 1)
        if law == "hyperelastic" then
          f, K = kernel:ask { "cell " .. flat(X) .. " " .. flat(v), "force", "tangent" }
          T.eq(f[#f], 1)
          T.eq(K[#K], 1)
        end
      end)
    end
  end
end

T.test("plane stress leaves the third direction free", function()
  local kernel = build("quad4", "elastic", ', plane = "stress", thickness = 0.5')
  local X = kernel.cell.places
  local u = {}
  for a, x in ipairs(X) do u[a] = { 0.01 * x[1], -0.3 * 0.01 * x[2] } end -- pulled along x, free along y
  local s, w = kernel:ask { "cell " .. flat(X) .. " " .. flat(u), "stress", "energy" }
  close(s, { 0.07, 0, 0, 0, 0, 0 }, 1e-12, "stress")
  close(w, { 7 * 0.01 ^ 2 / 2 * 4 * 0.5 }, 1e-12, "energy")
end)

T.test("the same model gives the same bytes", function()
  local text = text_of("hex8", "hyperelastic", 3)
  local first = P.compile_large(P.load("inline.lua", { text = text })).files[1].text
  T.eq(P.compile_large(P.load("inline.lua", { text = text })).files[1].text, first)
end)

S.finish()
