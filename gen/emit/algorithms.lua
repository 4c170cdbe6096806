-- Algorithms of the runtime that an emitted file includes after it has said what the model is (runtime/include/carom/algorithm.h):
-- what they are told, which headers go along, and which functions of the model they call.
local A = {}

--- Sizes, names and what the algorithms ask for, as lines of C; values: those of the templates.
function A.defines(values)
  local X, needs, straight = values.X, values.needs, not values.looped
  local lines = { "/* What the algorithms of carom/ are told about this model: see carom/algorithm.h. */",
    ("#define CAROM(name) %s_##name"):format(X), "#define CAROM_STATE " .. X }
  local function tell(name, value)
    lines[#lines + 1] = ("#define CAROM_%s %s"):format(name, type(value) == "boolean" and (value and 1 or 0) or value)
  end
  for _, name in ipairs { "NQ", "NV", "NS", "NB", "NE", "NC", "NG", "NT", "NR", "D", "NU", "NW" } do tell(name, values[name]) end
  tell("FOUND", values.found and true or false)
  for _, name in ipairs { "WC", "WG", "WT", "WR" } do tell(name, values[name]) end
  tell("SCALED", values.scaled)
  tell("BONDS", values.bonds)
  tell("ADHERES", values.adheres)
  tell("CHAINS", values.chains)
  tell("RIDES", values.rides)
  tell("STRIKES", values.strikes)
  tell("UNIFORM", values.uniform)
  tell("KEEPS_MODES", needs.capture or false)
  tell("WATCHED", straight and values.NR > 0)
  tell("LISTENS", values.listens)
  tell("ROW_BY_ROW", values.row_by_row)
  tell("TOWARD", (values.adaptive or values.doubling) and true or false)
  tell("STAGE_COUNT", values.stage_count)
  tell("NEWTON_STEP", needs.free_sensitivity or false)
  tell("REBOUND", values.rebound)
  tell("GROUPS", needs.by_rows and values.groups or 0)
  tell("ROWS_APART", values.apart)
  if straight then
    tell("MATRIX", needs.matrix or false)
    tell("WRITTEN_OUT", values.form.newton and true or false)
    tell("MEAN", needs.mean or false)
    tell("TYPES", values.operator_types)
  else
    tell("NA", values.form.na)
    tell("NGV", values.form.ng)
    tell("DIAGONAL", values.form.diagonal)
    tell("LINEAR", needs.linear or false)
    tell("FIXED", needs.fixed or false)
    tell("PARTS", values.sparse_parts or 0)
    tell("TABLES_BANDED", values.form.structure.band and true or false)
    tell("BAND", values.form.near or 0)
    tell("BANDED", values.form.near and 2 or 0)
    tell("PULLS", 1)
  end
  tell("OWN", values.own)
  if values.NR == 0 then return lines end
  if values.bonds or values.adheres or values.found then tell("CLOSED", values.tg) end
  tell("DEEPEST", values.deepest)
  if values.found then
    for _, name in ipairs { "AHEAD", "LEFT", "GOES_ON" } do tell(name, values.found_told[name]) end
    tell("FOUND_EACH", values.FP)
    tell("FOUND_PRESSED", values.own)
  end
  tell("TS", values.ts)
  tell("BREAKS", values.breaks)
  if not straight or values.split or values.extrapolate == 1 then tell("TG", values.tg) end
  if not straight then
    tell("CTOL", values.ctol)
    tell("SOLVER", values.solver_name)
    return lines
  end
  lines[#lines + 1] = "#define CAROM_INNER " .. values.room_inner
  tell("CONSTANT_W", values.form.delassus_constant or false)
  tell("FULL_ROWS", values.full_rows)
  -- of W = G M^-1 G^T; problems in other operators have other ones
  local only_mass = values.NT == 0 and not (needs.matrix or needs.along or needs.by_rows or needs.sensitivity or needs.free_sensitivity)
  local band = only_mass and values.form.band or values.NR
  tell("BAND", band)
  tell("BANDED", values.NE == 0 and values.NG > 2 and 2 * band + 1 < values.NG)
  tell("LOCAL", values.local_rows)
  tell("PULLS", needs.homogeneous or false)
  tell("BIAS", needs.bias or false)
  tell("ALONG", needs.along or false)
  tell("HOLDS", needs.projection or false)
  tell("ALL_ROWS", needs.by_rows or false)
  for _, law in ipairs(values.laws) do tell(law[1], law[2]) end
  return lines
end

--- The headers of carom/ that a text includes and that these include, in the order in which they are met. Read: text of a file.
function A.headers(text, read)
  local list, met = {}, {}
  local function look(from, folder)
    for name in from:gmatch('#%s*include%s*"' .. folder .. '([%w_]+)%.h"') do
      if not met[name] then
        met[name] = true
        list[#list + 1] = name
        look(read("runtime/include/carom/" .. name .. ".h"), "")
      end
    end
  end
  look(text, "carom/")
  return list
end

-- headers of carom/ that have a source of the same name
local WITH_SOURCE = { banded = true, elements = true, kkt = true, lcp = true, stages = true }
-- files of runtime/contact for friction; without it active sets are all
local CONTACT = { "condense.c", "contact.c", "contact.h", "parts.c", "pile.c", "pile.h", "products.c", "rebound.c", "rows.c",
  "rows.h", "smooth.c" }

--- Files of runtime/shapes: where shapes touch.
A.SHAPES = { "box.c", "capsule.c", "cylinder.c", "heightfield.c", "patch.c", "plane.c", "polygon.c", "polyhedron.c", "polyhedron.h",
  "shapes.c", "sphere.c", "vector.h" }

--- Files of the runtime that go along with a text, by copy(from, to). taken: friction (files of its solvers), contact (with friction?),
--- found (files that find contacts).
function A.along(text, read, put, taken)
  local known = {}
  local function copy(from, to)
    if not known[to] then put(from, to) end
    known[to] = true
  end
  for _, header in ipairs(A.headers('#include "carom/status.h"\n#include "carom/model.h"\n' .. text, read)) do
    copy("runtime/include/carom/" .. header .. ".h", "carom/" .. header .. ".h")
    if header == "collide" then
      for _, name in ipairs(A.SHAPES) do copy("runtime/shapes/" .. name, "shapes/" .. name) end
    elseif header == "geometry" then
      copy("runtime/shapes/slots.c", "shapes/slots.c")
    elseif header == "contact" then
      for _, name in ipairs(taken.contact and CONTACT or { "rows.c", "rows.h" }) do copy("runtime/contact/" .. name, "contact/" .. name) end
      if taken.contact then copy("runtime/include/carom/rebound.h", "carom/rebound.h") end -- which rebound.c includes
      if taken.fixed then
        copy("runtime/contact/fixed.c", "contact/fixed.c")
        for _, name in ipairs { "dense.h", "law.h", "multipliers.h", "room.h" } do
          copy("runtime/include/carom/" .. name, "carom/" .. name)
        end
      end
    elseif header == "friction" then
      for _, name in ipairs(taken.friction) do copy("runtime/friction/" .. name, "friction/" .. name) end
    elseif header == "found" then
      for _, name in ipairs(taken.found) do copy("runtime/bulk/" .. name, "bulk/" .. name) end
    elseif WITH_SOURCE[header] then
      copy("runtime/" .. header .. ".c", header .. ".c")
    end
    if header == "lcp" then -- which asks Lemke
      copy("runtime/include/carom/lemke.h", "carom/lemke.h")
      copy("runtime/lcp_lemke.c", "lcp_lemke.c")
    end
  end
end

--- Texts of those among them that know the model.
function A.with_model(text, read)
  local list = {}
  for _, name in ipairs(A.headers(text, read)) do
    local algorithm = read("runtime/include/carom/" .. name .. ".h")
    if algorithm:find('#include "algorithm.h"', 1, true) then list[#list + 1] = algorithm end
  end
  return list
end

-- the conditions of these headers are comparisons of what was defined, joined by && and ||
local function holds(condition, defined)
  local expression = condition:gsub("/%*.-%*/", ""):gsub("&&", " and "):gsub("||", " or "):gsub("!=", "~=")
  local chunk = load("return " .. expression, "=(#if)", "t", setmetatable({}, { __index = function(_, name)
    return tonumber(defined[name]) or error("nobody defines " .. name, 0)
  end }))
  if not chunk then error("an algorithm's #if compares numbers only: " .. condition, 0) end
  local value = chunk()
  if type(value) ~= "boolean" then error("an algorithm's #if is a comparison: " .. condition, 0) end
  return value
end

--- Names X_... that the algorithms call in what the preprocessor leaves of them, given the definitions of `text`, as a set.
function A.called(text, read, X)
  local defined, used = {}, {}
  local function define(line)
    local name, value = line:match("^#define ([%w_]+) (%-?[%d.eE+-]+)")
    if name then defined[name] = value end
  end
  for line in text:gmatch("[^\n]+") do define(line) end
  for _, algorithm in ipairs(A.with_model(text, read)) do
    local stack, on = {}, true -- of { done = has a branch been taken, outer = is all around it read }
    for line in algorithm:gsub("/%*.-%*/", ""):gmatch("[^\n]+") do
      local word, condition = line:match("^#%s*(%a+)%s*(.*)$")
      if word == "ifndef" or word == "ifdef" then -- against being included twice, C++
        stack[#stack + 1] = { outer = on, done = true }
        on = on and word == "ifndef"
      elseif word == "if" then
        stack[#stack + 1] = { outer = on, done = false }
        on = on and holds(condition, defined)
        stack[#stack].done = on
      elseif word == "elif" or word == "else" then
        local top = stack[#stack]
        on = top.outer and not top.done and (word == "else" or holds(condition, defined))
        top.done = top.done or on
      elseif word == "endif" then
        on = table.remove(stack).outer
      elseif on then
        if word == "define" then define(line) end
        for name in line:gmatch("CAROM%(([%w_]+)%)") do used[X .. "_" .. name] = true end
        if line:find("CAROM_CONTACT_OF", 1, true) then used[X .. "_contact_of"] = true end -- carom/algorithm.h
        if line:find("CAROM_TANGENT_ROWS", 1, true) then used[X .. "_tangents"] = true end
      end
    end
  end
  return used
end

return A
