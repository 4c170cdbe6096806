-- What moves beside the meshes of a large model, as C for carom_mechanism (runtime/include/carom/large.h): start, mass and forces of the
-- coordinates, outputs, and gaps of nodes to shapes that move with them.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local kernels = require "gen.emit.kernels"

local M = {}

local P, T = "const double *p", "double t"

local function names_of(eq)
  return kernels.names(eq.v, "v", kernels.names(eq.q, "q"))
end

--- The functions of a mechanism. eq: its equations; plain: how a function that only assigns is made (large.lua).
function M.functions(model, eq, plain)
  local names, start, mass, outputs = names_of(eq), {}, {}, {}
  for i, c in ipairs(model.coordinates) do
    start[#start + 1] = { ("q[%d]"):format(i - 1), E.lift(c.initial) }
    start[#start + 1] = { ("v[%d]"):format(i - 1), E.lift(c.velocity) }
  end
  for i = 1, eq.n do
    for j = 1, eq.n do
      mass[#mass + 1] = { ("M[%d]"):format((i - 1) * eq.n + j - 1), eq.M[math.max(i, j)][math.min(i, j)] or E.zero }
    end
  end
  for i, o in ipairs(model.outputs) do outputs[i] = { ("y[%d]"):format(i - 1), E.lift(o.expr) } end
  local list = {
    plain("mechanism_start", { P, "double *q", "double *v" }, start, {}, "where coordinates start"),
    plain("mechanism_mass", { P, "double *M" }, mass, {}, "their mass matrix, which is constant"),
    plain("mechanism_force", { P, T, "const double *q", "const double *v", "double *f" }, kernels.vector("f", eq.h), names,
      "forces on them"),
  }
  if #outputs > 0 then
    list[4] = plain("mechanism_outputs", { P, T, "const double *q", "const double *v", "double *y" }, outputs, names, "outputs")
  end
  return list
end

--- The tables that name it: lines of C.
function M.tables(model, quoted)
  local lines = {}
  local function quantities(name, list)
    if #list == 0 then return end
    lines[#lines + 1] = ("static const carom_quantity %s[] = {"):format(name)
    for _, item in ipairs(list) do lines[#lines + 1] = ("    { %s, %s, 0.0 },"):format(quoted(item[1]), quoted(item[2] or "")) end
    lines[#lines + 1] = "};"
  end
  local position, velocity, output = {}, {}, {}
  for i, c in ipairs(model.coordinates) do position[i], velocity[i] = { c.q.name, c.unit }, { c.v.name, c.unit and c.unit .. "/s" } end
  for i, o in ipairs(model.outputs) do output[i] = { o.name, o.unit } end
  quantities("mechanism_positions", position)
  quantities("mechanism_velocities", velocity)
  quantities("mechanism_output", output)
  lines[#lines + 1] = ("static const carom_mechanism mechanism = { .size = %d, .position = mechanism_positions, .velocity = "
    .. "mechanism_velocities,"):format(#position)
  lines[#lines + 1] = "    .start = mechanism_start, .mass = mechanism_mass, .force = mechanism_force,"
  if #output > 0 then
    lines[#lines + 1] = ("    .outputs = %d, .output = mechanism_output, .output_values = mechanism_outputs,"):format(#output)
  end
  lines[#lines + 1] = "};"
  return lines
end

-- J: the obstacle's point at x moves with J v. Along the normal as the gap says, across it as the slips say,
-- J = -n/|n|^2 (dg'/dv) - sum_i t_i (dU_i/dv), t_i = dU_i/dx'
local function carrier(surface, eq)
  local rate, n, square, J = {}, D.gradient(surface.gap, surface.x), E.zero, {}
  for i, q in ipairs(eq.q) do rate[q] = eq.v[i] end
  local normal = D.gradient(D.total(surface.gap, rate), eq.v)
  for _, x in ipairs(n) do square = square + x ^ 2 end
  for k = 1, #n do
    J[k] = {}
    for j = 1, eq.n do J[k][j] = -(n[k] / square) * normal[j] end
  end
  local across = {}
  for k, x in ipairs(surface.x) do across[k] = E.sym(x.name .. ".dot", "v") end
  for _, slip in ipairs(surface.slip or {}) do
    local t, along = D.gradient(slip, across), D.gradient(slip, eq.v)
    for k = 1, #n do for j = 1, eq.n do J[k][j] = J[k][j] - t[k] * along[j] end end
  end
  return J
end

--- Gap of a node to a surface of the mechanism, its gradient, its rate by time, and how its point moves.
function M.gap(surface, eq, time, plain, comment)
  local list = { { "*g", surface.gap } }
  for k, node in ipairs(D.gradient(surface.gap, surface.x)) do list[#list + 1] = { ("gradient[%d]"):format(k - 1), node } end
  list[#list + 1] = { "*rate", D.by(surface.gap, time) }
  for k, row in ipairs(carrier(surface, eq)) do
    for j, node in ipairs(row) do list[#list + 1] = { ("J[%d]"):format((k - 1) * eq.n + j - 1), node } end
  end
  return plain(surface.name .. "_gap", { P, T, "const double *x", "const double *q", "double *g", "double *gradient", "double *rate",
    "double *J" }, list, kernels.names(surface.x, "x", names_of(eq)), comment)
end

return M
