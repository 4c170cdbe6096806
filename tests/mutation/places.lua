-- Where carom can be broken and how: every place of a file where one small change is likely to change what it does.
--
-- Left out, because no test should hold them fast: comments, messages and texts, documentation, what only prints pages.
local fs = require "gen.util.fs"

local P = {}

-- a name for each part of carom, and the files that belong to it; a file belongs to the first that fits.
-- The third is its share of the sample: one mutant of the part for PETSc takes as long as ten others.
P.parts = {
  { "expr", "^gen/expr/" }, { "lang", "^gen/lang/" }, { "mech", "^gen/mech/" }, { "plan", "^gen/plan/" }, { "scheme", "^gen/scheme/" },
  { "backend", "^gen/backend/" }, { "system", "^gen/system/" }, { "emit", "^gen/emit/" }, { "fem", "^gen/fem/" },
  { "target", "^gen/target/", 0.5 }, { "report", "^gen/report/", 0.5 }, { "templates", "^templates/.*%.c%.in$" },
  { "headers", "^runtime/include/carom/.*%.h$", 2 }, { "contact", "^runtime/contact/.*%.c$" }, { "shapes", "^runtime/shapes/.*%.c$" },
  { "friction", "^runtime/friction/.*%.c$" }, { "lcp", "^runtime/lcp.*%.c$" }, { "kkt", "^runtime/kkt%.c$" },
  { "bulk", "^runtime/bulk/.*%.c$" }, { "driver", "^runtime/driver/.*%.c$" }, { "petsc", "^runtime/petsc/.*%.c$", 0.5 },
}
local NOT = { "reference%.lua$", "%.md$", "^templates/example", "^gen/lang/words%.lua$", "^gen/lang/core/describe",
  "^gen/lang/core/fail", "^gen/lang/core/names" }

-- pattern, what stands there instead; lua = true or false: only there
local SWAPS = {
  { " %+ ", " - " }, { " %- ", " + " }, { " %* ", " / " }, { " / ", " * " }, { " < ", " <= " }, { " <= ", " < " }, { " > ", " >= " },
  { " >= ", " > " }, { " == ", " ~= ", lua = true }, { " ~= ", " == ", lua = true }, { " == ", " != ", lua = false },
  { " != ", " == ", lua = false }, { " && ", " || ", lua = false }, { " || ", " && ", lua = false }, { " and ", " or ", lua = true },
  { "%f[%w]not ", "", lua = true }, { "%f[%w]0%.5%f[^%w]", "0.25" }, { "%f[%w]1%.0%f[^%w.]", "2.0" }, { "%f[%w]0%.0%f[^%w.]", "1e-3" },
  { "%f[%w]true%f[^%w]", "false" }, { "%f[%w]false%f[^%w]", "true" }, { "fmax%(", "fmin(" }, { "fmin%(", "fmax(" },
  { "math%.max%(", "math.min(", lua = true }, { "math%.min%(", "math.max(", lua = true },
}

local MESSAGES = { "error%(", "message", "refuse", "say%(", "fail%(", "fprintf", "printf%(", "snprintf", "PetscPrintf", "SETERRQ", "assert",
  "warn", "hint", "text = ", "require" }

-- is this place of a line of Lua inside a quoted text?
local function quoted(body, at)
  local _, quotes = body:sub(1, at):gsub('"', "")
  local _, single = body:sub(1, at):gsub("'", "")
  return quotes % 2 == 1 or single % 2 == 1
end

local function code_of(line, is_lua)
  if line:find("^%s*%-%-") or line:find("^%s*/?%*") or line:find("^%s*//") or line:find("^%s*#") or line:find("^%s*$") then return nil end
  for _, pattern in ipairs(MESSAGES) do if line:find(pattern) then return nil end end
  local comment = line:find("%s/%*") or line:find("%s//%s") or (is_lua and line:find("%s%-%-%s")) or #line + 1
  return line:sub(1, comment - 1), line:sub(comment)
end

--- Every change that could be made to a line: a list of texts.
function P.changes(line, is_lua)
  local body, tail = code_of(line, is_lua)
  local list = {}
  if not body then return list end
  for _, swap in ipairs(SWAPS) do
    if swap.lua == nil or swap.lua == is_lua then
      local from = 1
      while true do
        local at, stop = body:find(swap[1], from)
        if not at then break end
        -- list[#list + 1] = ...: every test notices, so it would only flatter the score
        local appends = is_lua and body:find("^ %+ 1%]", at) and body:sub(1, at - 1):find("#[%w_.]+$")
        if not quoted(body, at) and not appends then list[#list + 1] = body:sub(1, at - 1) .. swap[2] .. body:sub(stop + 1) .. tail end
        from = stop
      end
    end
  end
  local statement
  if is_lua then
    statement = body:find("^%s+[%w_.%[%]]+ = ") and not body:find("[{(,]%s*$") and not body:find("^%s*local")
  else
    statement = body:find("^%s+[%w_.%[%]>()*+-]+ [-+*]?= .*;%s*$") or body:find("^%s+[%a_][%w_]*%(.*%);%s*$")
  end
  if statement then list[#list + 1] = body:match("^%s*") .. (is_lua and "do end" or ";") .. tail end
  return list
end

function P.part_of(path)
  for _, pattern in ipairs(NOT) do if path:find(pattern) then return nil end end
  for _, part in ipairs(P.parts) do if path:find(part[2]) then return part[1] end end
end

--- All places of a tree, by part: { part = list of { path, number, line, change } }. Lines of long texts ([[ ]]) of Lua are left out.
function P.all(root)
  local by = {}
  for _, part in ipairs(P.parts) do by[part[1]] = {} end
  for path in fs.capture(("cd %s && find gen templates runtime -type f | LC_ALL=C sort"):format(fs.quote(root))):gmatch("[^\n]+") do
    local part = P.part_of(path)
    if part then
      local number, long, is_lua = 0, false, path:find("%.lua$") ~= nil
      for line in assert(fs.read(root .. "/" .. path)):gmatch("(.-)\n") do
        number = number + 1
        if is_lua and long then
          long = not line:find("]]", 1, true)
        elseif is_lua and line:find("%[%[[^%]]*$") then
          long = true
        else
          for _, change in ipairs(P.changes(line, is_lua)) do
            table.insert(by[part], { part = part, path = path, number = number, line = line, change = change })
          end
        end
      end
    end
  end
  return by
end

return P
