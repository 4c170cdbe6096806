-- Kinetic and potential energy of a model from its terms, for pages of models that do not give them as outputs.
local E = require "gen.expr.node"
local frames = require "gen.lang.words.bodies.frame"
local kinematics = require "gen.lang.words.links.frame"
local space = require "gen.lang.core.space"
local value = require "gen.lang.core.value"

local half = E.num(0.5)
local MOST = 30000 -- nodes: beyond, a page takes too long to open

local function rate(node) return value.node(value.rate(value.wrap(node))) end

local function square(list)
  local sum = E.zero
  for _, x in ipairs(list) do sum = sum + x * x end
  return sum
end

-- w . I w / 2
local function turning(I, w)
  local sum = E.zero
  for i = 1, 3 do for j = 1, 3 do sum = sum + E.lift(I[i][j]) * w[i] * w[j] end end
  return half * sum
end

-- of a mass at x with the velocity v
local function point(self, mass, x, v)
  self.kinetic = self.kinetic + half * mass * square(v)
  for i, g in ipairs(self.gravity) do self.potential = self.potential - mass * E.lift(g) * (x[i] or E.zero) end
end

local add = {}
function add.kinetic(self, t) self.kinetic = self.kinetic + t.expr end
function add.potential(self, t) self.potential = self.potential + t.expr end

function add.body(self, t)
  local x = { E.lift(t.at[1]), E.lift(t.at[2]) }
  point(self, E.lift(t.mass), x, { rate(x[1]), rate(x[2]) })
  if t.inertia and t.angle then self.kinetic = self.kinetic + half * E.lift(t.inertia) * square { rate(E.lift(t.angle)) } end
end

function add.free_body(self, t)
  local x, v = {}, {}
  for i, p in ipairs(t.position) do x[i], v[i] = p.q, p.v end
  point(self, E.lift(t.mass), x, v)
  self.kinetic = self.kinetic + turning(t.inertia, t.w)
end

local function link(self, object)
  local l = kinematics.of(object)
  local t = l.term and l.term.links[l.index]
  if not t then return end
  local arm = {}
  for i = 1, 3 do arm[i] = value.wrap(t.center[i]) end
  local x, v = value.nodes(space.plus(l.now.at, space.turned(l.now.R, arm))), {}
  for i = 1, 3 do v[i] = rate(x[i]) end
  point(self, E.lift(t.mass), x, v)
  self.kinetic = self.kinetic + turning(t.inertia, value.nodes(frames.spin(object)))
end

--- { kinetic, potential } as expressions; nil for meshes and piles, which say theirs, and where they are too long. size: of a list of
--- expressions (gen/report/script.lua).
return function(model, size)
  if model.among or #(model.meshes or {}) > 0 then return nil end
  for _, o in ipairs(model.outputs or {}) do if o.name:lower():find "energy" then return nil end end
  local self = { kinetic = E.zero, potential = E.zero, gravity = model.gravity or {} }
  for _, t in ipairs(model.terms) do if add[t.kind] then add[t.kind](self, t) end end
  for _, x in ipairs(model.pictured) do if frames.is(x) and kinematics.of(x) then link(self, x) end end
  if self.kinetic == E.zero or size { self.kinetic, self.potential } > MOST then return nil end
  return { self.kinetic, self.potential }
end
