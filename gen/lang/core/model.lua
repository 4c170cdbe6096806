-- The model object: what `carom.model` gives. Its words (gen/lang/words) fill the tables that the rest of the generator reads: name,
-- parameters, constants, inputs, coordinates, rotations, terms, gravity, contacts, constraints, felt (forces of the last step that
-- are looked at), outputs, run, exact, time, names, used (words, and where each stands first), in declared order; of finite elements
-- meshes, fixes, tractions, surfaces, pairs, probes, nodes, ties.
local E = require "gen.expr.node"
local fail = require "gen.lang.core.fail"
local mesh = require "gen.lang.words.meshes.mesh"
local meant = require "gen.lang.core.meant"
local names = require "gen.lang.core.names"
local runs = require "gen.lang.words.runs"
local sandbox = require "gen.lang.core.sandbox"
local words = require "gen.lang.words"

local M = {}

--- A name must be new among the quantities, contacts and constraints; bodies and springs have a list of their own, and
-- so have shapes.
local function declare(list, name, kind, where)
  local before = list[name]
  if before then fail(where, "the name '%s' is already used for the %s; choose another", name, before) end
  list[name] = kind .. " in line " .. where.line
end

-- words that call functions of the model
local calls_back = {}
for _, w in ipairs(words) do
  for _, list in ipairs { w.arguments or {}, w.options or {} } do
    for _, spec in ipairs(list) do
      if spec.type == "function" or spec.type == "field" then calls_back[w.name] = true end
    end
  end
end

local word_names = {}
for _, w in ipairs(words) do if w.name ~= "model" then word_names[#word_names + 1] = w.name end end

-- bodies, links and shapes: what a report draws (gen/report/scene.lua), as the model got it, and what a pile has very many of
local PICTURED = {}
for _, w in ipairs { "body", "free_body", "link", "disk", "segment", "arc", "plane", "box", "sphere", "capsule", "cylinder",
  "heightfield", "surface", "polyhedron" } do
  PICTURED[w] = true
end

local RAW = {} -- key of the tables behind the object

--- The tables behind what a model file returned, or nil if that is not a model.
function M.raw(object)
  return type(object) == "table" and rawget(object, RAW) or nil
end

--- A new model; state carries what only the reading needs: set (name -> value of --set), consumed, taken names.
function M.new(name, state, where)
  local model = {
    name = name, file = where.file, line = where.line, parameters = {}, constants = {}, inputs = {}, coordinates = {},
    rotations = {}, terms = {}, contacts = {}, constraints = {}, felt = {}, outputs = {}, used = {}, pictured = {}, run = runs.complete {},
    time = E.sym("t", "time"),
  }
  for _, list in ipairs(mesh.lists) do model[list] = {} end
  state.taken, state.bodies, state.shapes = { t = "time in result files" }, {}, {}
  state.declare = declare
  local methods, used = {}, {}
  local object = setmetatable({ [RAW] = model }, {
    __index = function(_, key)
      if methods[key] then return methods[key] end
      fail(sandbox.where(), "there is no word '%s'; %s", tostring(key), meant.word[key] or names.suggest(key, word_names, "the words are"))
    end,
    __newindex = function(_, key)
      fail(sandbox.where(), "a model has no field '%s' to set; use a local", tostring(key))
    end,
    __tostring = function() return "model " .. name end,
  })
  for _, w in ipairs(word_names) do
    local means = words[w].means
    methods[w] = function(self, ...)
      local at = sandbox.where()
      local _ <close> = not calls_back[w] and sandbox.word(PICTURED[w]) or nil
      if not rawequal(self, object) then fail(at, "%s is written with a colon; write m:%s(...)", w, w) end
      if not used[w] then
        used[w] = true
        table.insert(model.used, { word = w, file = at.file, line = at.line })
      end
      local made = means(model, state, table.pack(...), at)
      if PICTURED[w] then table.insert(model.pictured, made) end
      return made
    end
  end
  return object
end

return M
