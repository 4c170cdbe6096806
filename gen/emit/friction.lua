-- What the templates need to know about friction: tables of rows, memory of the solvers, which of them are taken along.
local print_c = require "gen.expr.print"

local F = {}

-- all but making problems from triplets and files, which uses the heap
F.SOLVERS = { "admm.c", "anderson.c", "anderson.h", "apgd.c", "augmented.c", "auto.c", "dense.c", "friction.c", "lemke.c", "local.c",
  "mixing.c", "mixing.h", "newton.c", "newton.h", "nsgs.c", "prox.c", "prox.h", "residual.c", "solver.h", "sparse.c",
  "sparse.h", "squeeze.c", "tiny.c" }
local CLOSED_FORMS = { "local.c", "solver.h" }

--- Is there more to solve than the closed forms of one contact?
function F.several(eq, spec)
  return eq.gaps - eq.constraints > 1 or (spec.solver or "auto") ~= "auto"
end

--- Files of runtime/friction that an integrator takes along.
function F.files(eq, spec, looped)
  return (looped or F.several(eq, spec)) and F.SOLVERS or CLOSED_FORMS
end

local function braces(list) return "{" .. table.concat(list, ", ") .. "}" end

-- which contact each tangential row belongs to, and back; is it the rate of a displacement?
local function rows_of(eq)
  local contact_of, tangents, displacement = {}, {}, {}
  for k = eq.gaps + 1, #eq.rows do
    contact_of[#contact_of + 1] = tostring(eq.rows[k].contact)
    displacement[#displacement + 1] = tostring(eq.rows[k].displacement)
  end
  for i, c in ipairs(eq.model.contacts) do
    local rows = {}
    for k = 1, eq.dimension - 1 do rows[k] = tostring(c.tangents[k] or -1) end
    tangents[i] = braces(rows)
  end
  return braces(contact_of), braces(tangents), braces(displacement)
end

--- What the impulses of the tangential rows are called: CONTACT.friction, in space CONTACT.friction_1 and CONTACT.friction_2.
function F.names(eq)
  local names = {}
  for _, c in ipairs(eq.model.contacts) do
    for i, row in ipairs(c.tangents) do names[row - eq.gaps + 1] = c.name .. ".friction" .. (#c.tangents > 1 and "_" .. i or "") end
  end
  return names
end

--- Puts into the values of the templates what they and the algorithms need: rows of contacts, how their law is solved.
function F.values(values, eq, spec, looped, single)
  local NC, NR, NT, D = values.NC, values.NR, values.NT, eq.dimension
  local solver, several = spec.solver or "auto", F.several(eq, spec)
  values.solver_name = solver == "auto" and "NULL" or ('"%s"'):format(solver)
  values.ts, values.ctol = print_c.number(spec.tv or 1e-8), print_c.number(spec.ctol or 1e-11)
  -- rows that can carry force; with few of them a constant is quicker than to skip those that friction 0 leaves out
  values.rows = values.found and "s->found.rows" or NT > 0 and NR > 4 and "s->derived.rows" or tostring(NR)
  values.friction, values.has_displacement, values.laws, values.several = {}, "", {}, false
  if values.rebound then
    local energetic = {}
    for k, c in ipairs(eq.model.contacts) do energetic[k] = tostring(c.energetic or false) end
    for k = #energetic + 1, values.NC do energetic[k] = "false" end -- of what is found
    values.friction = { "/* Which contacts give back work, and which impulses. */",
      ("static const bool %s_energetic[%d] = {%s};"):format(values.X, #energetic, table.concat(energetic, ", ")) }
  end
  local written = #eq.model.contacts > 0
  if values.bonds and written then
    local lasting = {}
    for k, c in ipairs(eq.model.contacts) do lasting[k] = tostring(c.lasting or false) end
    table.move({ "/* Which contacts bond again when they press. */", ("static const bool %s_lasting[%d] = {%s};"):format(values.X, #lasting,
      table.concat(lasting, ", ")) }, 1, 2, #values.friction + 1, values.friction)
  end
  if NT == 0 then return end
  if values.rides and written then
    local rides, at = {}, {}
    for k, c in ipairs(eq.model.contacts) do rides[k], at[c] = tostring(at[c.rides] or -1), k - 1 end
    table.move({ "/* The contact that each one rides on (-1: none): see carom/rides.h. */",
      ("static const int %s_rides[%d] = %s;"):format(values.X, #rides, braces(rides)) }, 1, 2, #values.friction + 1, values.friction)
  end
  local contact_of, tangents, displacement = rows_of(eq)
  values.has_displacement = displacement
  values.contact_of = contact_of
  if values.found then return end
  table.move({ "/* Which row is the contact of each tangential row, and which tangential rows belong to each contact (-1: none). */",
    ("static const int %s_contact_of[%d] = %s;"):format(values.X, NT, contact_of),
    ("static const int %s_tangents[%d][%d] = %s;"):format(values.X, NC, D - 1, tangents) }, 1, 3, #values.friction + 1, values.friction)
  if looped then return end
  values.several = several
  values.laws = { { "SEVERAL", several and 1 or 0 }, { "SOLVER_AUTO", solver == "auto" and 1 or 0 } }
  if several then
    table.move({ { "SOLVER", values.solver_name }, { "CTOL", values.ctol },
      { "FLOOR", print_c.number((single and 4e-7 or 4e-15) / tonumber(spec.ctol or 1e-11)) } }, 1, 3, 3, values.laws)
  end
end

--- Lines that refuse friction which the integrator was generated without.
function F.guard(coefficients)
  local lines, guarded = {}, {}
  for _, mu in ipairs(coefficients) do
    if mu.op ~= "num" and not guarded[mu] then
      guarded[mu] = true
      local text = print_c.c(mu, function(node) return node.op == "sym" and "p->" .. node.name or nil end)
      table.move({ ("if (%s > 0.0) {"):format(text), "    return CAROM_NO_FRICTION;", "}" }, 1, 3, #lines + 1, lines)
    end
  end
  return lines
end

return F
