-- Makes the reference page of the language, gen/lang/README.md, from the tables that check what users write
-- (gen/lang/words). A test compares the page in the repository with this text; to renew it:
--   LUA_PATH="./?.lua" lua5.4 -e 'io.write(require("gen.lang.core.reference").text())' > gen/lang/README.md
local accept = require "gen.lang.core.accept"
local carom = require "gen.lang.core.carom"
local sandbox = require "gen.lang.core.sandbox"
local units = require "gen.lang.core.units"
local words = require "gen.lang.words"

local R = {}

--- What stands before the example of each word that has no preamble of its own; `return m` stands after it.
R.preamble = [[
local carom = require "carom"
local m = carom.model "example"
local mass = m:parameter("mass", 2, "kg")
local x = m:coordinate("x", { unit = "m", initial = 1 })
local y = m:coordinate("y", { unit = "m", initial = 2 })
m:kinetic_energy(mass * (x.dot^2 + y.dot^2) / 2)
]]

local introduction = [[
# The modelling language

This page is made from the tables that check models (`words`), so what it says is what is checked.

A model is a Lua 5.4 file. It declares coordinates, energies, forces and contacts in any order and returns the model:

```lua
%s-- the words below go here
return m
```

The examples below stand in the place of the comment, and each of them is tested. `carom check FILE` says everything
that can be said about a model without running it.

## Expressions

Numbers, parameters, coordinates and what is computed from them with `+ - * / ^` are expressions. They are symbols, not
values: a model is differentiated and turned into C, so `if` and `<` cannot look at them (write `carom.select`). Every
expression of coordinates and time has a field `.dot`, its time derivative; for a coordinate that is its velocity.

| function | meaning |
|---|---|
%s
With plain numbers these functions give plain numbers. `math.sin` and its like are the same functions.

## Units

A unit is a text of coherent SI units: `%s`,
with `*`, `/`, `^` and brackets, a space for a product, left to right: `"kg m^2"`, `"N*m/rad"`, `"m/s^2"`, `"1"`. `rad`
has no dimension. Scaled units (`mm`, `deg`, `kN`) are refused with the factor to convert by, so no number ever changes
silently.

Units may be left out everywhere. Where they are given, dimensions are checked at the line where quantities meet:
- A quantity declared without a unit has an unknown dimension, and so has what is multiplied by it: nothing is checked
  there.
- A plain number fits every dimension as a summand. As a factor, a whole number or one half has no dimension; any other
  number, such as 9.81, may stand for a quantity and counts as unknown.
- A dimension that a word requires (J for energies) is required only in base units that occur in some unit of the model:
  with `rad` for an angle and plain numbers for masses and lengths, nothing is said about kg and m.
- Functions such as `sin` need an argument without dimension.

A model whose equations are written without dimensions should give no units at all.

## What Lua offers here

`assert error ipairs pairs print select tonumber tostring type`, `math` (without random numbers), `table` (without
`move`), `string` (`byte char format len lower rep reverse sub upper`), and `require` of `"carom"` and of files beside
the model. `pairs` goes through numbers, then texts, in ascending order; `print` writes to standard error. Files, the
system, metatables, coroutines and `load` are not available. A model may use %d million instructions and %d MiB of
memory, and 2000 instructions and 16 KiB more for each body and shape; checking it and generating from it may take as much memory and
processor time as the environment variables `CAROM_LIMIT_MIB` (2048, or half of the memory there is) and `CAROM_LIMIT_SECONDS` (300) say, 0
being no limit. `table.sort` leaves equal entries in their order.

A mistake is reported as `file:line: error: what is wrong; what to write`, with exit code 2, and nothing is written.

## Names

Names are C identifiers, at most 60 characters, and no keywords of C or C++. Quantities, contacts and constraints share
one list of names; bodies, springs and dampers have their own, and so have shapes. `--set name=value` works on parameters, inputs, constants
(generates again), coordinates and velocities (`q`, `q.dot`: the initial values), and on the rotation and the spin of
free bodies (`b_qw`, `b_wx`).
]]

local function cell(text) return (string.gsub(text, "|", "\\|")) end

local function row(spec)
  local default = spec.required and "required" or spec.default or "none"
  return string.format("| `%s` | %s | %s | %s | %s |", spec.name, accept.types[spec.type].shown,
    spec.dim and "`" .. spec.dim .. "`" or "",
    cell(default), cell(spec.doc))
end

-- What stands before the example of a word that cannot stand beside coordinates, but for its first two lines.
local function own_start(w) return w.preamble and string.match(w.preamble, "^[^\n]*\n[^\n]*\n(.*)$") or "" end

local function section(w)
  local out = {}
  local function put(...) out[#out + 1] = string.format(...) end
  put("### %s\n", w.name)
  put("```lua\n%s\n```\n", w.form)
  put("%s", w.summary .. (w.gives and " Gives " .. w.gives .. "." or "") .. "\n")
  if w.arguments or w.options then
    put("| %s | type | dimension | default | consequence |\n|---|---|---|---|---|",
      w.arguments and w.options and "argument, option" or w.arguments and "argument" or "option")
    for _, spec in ipairs(w.arguments or {}) do put("%s", row(spec)) end
    for _, spec in ipairs(w.options or {}) do put("%s", row(spec)) end
    put("")
  end
  if w.notes then put("%s\n", w.notes) end
  put("```lua\n%s%s\n```\n", own_start(w), w.example)
  return table.concat(out, "\n")
end

--- The whole page.
function R.text()
  local functions = {}
  for i, entry in ipairs(carom.members) do
    functions[i] = string.format("| `%s` | %s |\n", (string.gsub(entry[1], " ", "` `")), cell(entry[2]))
  end
  local out = { string.format(introduction, R.preamble, table.concat(functions), table.concat(units.names, " "),
    sandbox.limits.instructions // 1000000, sandbox.limits.memory // 1024) }
  local group
  local index = { "## Words\n" }
  for _, w in ipairs(words) do
    if w.group ~= group then
      group = w.group
      index[#index + 1] = (#index > 1 and "\n" or "") .. group .. ":"
    end
    index[#index + 1] = string.format("[%s](#%s)", w.name, w.name)
  end
  out[#out + 1] = table.concat(index, "\n") .. "\n"
  group = nil
  for _, w in ipairs(words) do
    if w.group ~= group then
      group = w.group
      out[#out + 1] = "## " .. group .. "\n"
    end
    out[#out + 1] = section(w)
  end
  return table.concat(out, "\n")
end

return R
