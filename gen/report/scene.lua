-- What a report draws of a model: a list of items, each with the place `o` of its numbers among those that one function gives for
-- an instant. In the plane an item has x, y, angle (a plane: point and normal; lines: their points), in space the place and the
-- rotation matrix by rows.
local E = require "gen.expr.node"
local diff = require "gen.expr.diff"
local eval = require "gen.expr.eval"
local frames = require "gen.lang.words.bodies.frame"
local kinematics = require "gen.lang.words.links.frame"
local planar = require "gen.lang.words.bodies.body"
local shape = require "gen.lang.words.shapes.shape"
local space = require "gen.lang.core.space"
local value = require "gen.lang.core.value"

local zero, one = E.zero, E.num(1)
local identity = { { one, zero, zero }, { zero, one, zero }, { zero, zero, one } }
local NODES = 60000 -- of all that is drawn: beyond, a page takes too long to open

local Scene = {}
Scene.__index = Scene

-- A number of parameters; nil where it moves.
function Scene:number(v)
  local n = value.is(v) and value.node(v) or v
  if type(n) == "number" then return n end
  local good, x = pcall(eval.eval, n, self.env)
  return good and x == x and math.abs(x) < math.huge and x or nil
end

function Scene:numbers(list)
  local out = {}
  for i, v in ipairs(list) do out[i] = self:number(v) or 0 end
  return out
end

-- Adds an item whose numbers are these nodes.
function Scene:add(item, nodes)
  item.o = #self.nodes
  table.move(nodes, 1, #nodes, #self.nodes + 1, self.nodes)
  self.items[#self.items + 1] = item
  return item
end

local function moves(nodes)
  for _, n in ipairs(nodes) do
    for _, s in ipairs(E.symbols(n)) do if s.kind ~= "param" then return true end end
  end
  return false
end

local function rows(R)
  local list = {}
  for i = 1, 3 do
    for j = 1, 3 do list[#list + 1] = R and (value.is(R[i][j]) and value.node(R[i][j]) or R[i][j]) or identity[i][j] end
  end
  return list
end

local function joined(a, b)
  local list = table.move(a, 1, #a, 1, {})
  return table.move(b, 1, #b, #list + 1, list)
end

-- the points of a line one after the other
local function flat(points)
  local list = {}
  for _, p in ipairs(points) do for _, v in ipairs(p) do list[#list + 1] = value.node(v) end end
  return list
end

-- Convex hull of points of a body as it is at the start: their order, as indices.
local function hull(at)
  local order = {}
  for i = 1, #at do order[i] = i end
  table.sort(order, function(a, b) return at[a][1] < at[b][1] or at[a][1] == at[b][1] and at[a][2] < at[b][2] end)
  local function half(first, last, step)
    local list = {}
    for k = first, last, step do
      local p = at[order[k]]
      while #list > 1 do
        local a, b = at[list[#list - 1]], at[list[#list]]
        if (b[1] - a[1]) * (p[2] - a[2]) - (b[2] - a[2]) * (p[1] - a[1]) > 0 then break end
        list[#list] = nil
      end
      list[#list + 1] = order[k]
    end
    list[#list] = nil
    return list
  end
  local lower, upper = half(1, #order, 1), half(#order, 1, -1)
  return table.move(upper, 1, #upper, #lower + 1, lower)
end

local PLANAR = {}

function PLANAR.disk(self, s)
  return { radius = self:number(s.ball.radius) }, { value.node(s.ball.centre[1]), value.node(s.ball.centre[2]),
    s.frame.angle and value.node(s.frame.angle) or zero }
end

function PLANAR.box(self, s)
  return { width = self:number(s.given.width), height = self:number(s.given.height) },
    { value.node(s.middle[1]), value.node(s.middle[2]), s.angle and value.node(s.angle) or zero }
end

function PLANAR.polygon(_, s) return { kind = "hull", points = #s.outline }, flat(s.outline) end

function PLANAR.segment(_, s) return { kind = "line", points = 2 }, flat(s.ends) end

function PLANAR.arc(self, s)
  return { radius = self:number(s.radius), from = s.from and self:number(s.from), to = s.to and self:number(s.to) },
    { value.node(s.centre[1]), value.node(s.centre[2]), s.frame.angle and value.node(s.frame.angle) or zero }
end

function PLANAR.plane(_, s) return {}, flat { s.point, s.normal } end

-- Where a solid shape is: its middle and its frame; an axis is in the frame.
local function solid(s)
  local centre = s.centre or s.balls and s.balls[1].centre
  return joined(value.nodes(centre), rows(s.frame.R))
end

local SPATIAL = {}
function SPATIAL.sphere(self, s) return { radius = self:number(s.balls[1].radius) }, solid(s) end
function SPATIAL.box(self, s) return { size = self:numbers(space.times(2, s.half)) }, solid(s) end
local function rod(self, s)
  local axis = s.given.axis and self:numbers(s.given.axis) or { 0, 0, 1 }
  return { radius = self:number(s.radius), length = 2 * (self:number(s.half) or 0), axis = axis }, solid(s)
end
SPATIAL.capsule, SPATIAL.cylinder = rod, rod
function SPATIAL.plane(_, s) return {}, flat { s.point, s.normal } end
function SPATIAL.heightfield(self, s)
  local t = s.table
  return { columns = t.columns, rows = t.rows, spacing = self:numbers(s.sizes), heights = t.numbers }, value.nodes(s.point)
end

-- Triangles of its faces, by the numbers of its corners.
function SPATIAL.polyhedron(self, s)
  local corners, triangles = {}, {}
  for _, c in ipairs(s.hull.corners) do for k = 1, 3 do corners[#corners + 1] = tonumber(("%.6g"):format(c[k])) end end
  for _, loop in ipairs(s.hull.faces) do
    for k = 2, #loop - 1 do table.move({ loop[1], loop[k], loop[k + 1] }, 1, 3, #triangles + 1, triangles) end
  end
  return { radius = self:number(s.sizes[1]), corners = corners, triangles = triangles }, solid(s)
end

function Scene:shape(s)
  local kind = (s.spatial and SPATIAL or PLANAR)[s.kind]
  if not kind then return end
  local item, nodes = kind(self, s)
  item.kind, item.name, item.deep = item.kind or s.kind, s.name, s.spatial
  item.fixed, item.body = not moves(nodes), s.given.body ~= nil
  self:add(item, nodes)
  if s.given.body then
    if not self.shown[s.given.body] then self.shown[s.given.body], self.count = { tone = self.count }, self.count + 1 end
    item.tone = s.spatial and self.shown[s.given.body].tone
    table.insert(self.shown[s.given.body], s.spatial and (s.centre or s.balls and s.balls[1].centre) or nil)
  end
  self.spatial = self.spatial or s.spatial
end

function Scene:drawn(name, o)
  if o.at then
    local nodes = value.nodes(o.at)
    self.spatial = self.spatial or #nodes == 3
    local item = { kind = #nodes == 3 and "sphere" or "disk", name = name, deep = #nodes == 3, body = true,
      radius = o.radius and self:number(o.radius) }
    item.fixed = o.fixed or not moves(nodes)
    if #nodes == 3 then
      item.radius = item.radius or 0.02
      return self:add(item, joined(nodes, rows()))
    end
    return self:add(item, { nodes[1], nodes[2], zero })
  end
  local nodes = flat(o.line)
  self.spatial = self.spatial or #o.line[1] == 3
  self:add({ kind = o.spring and #o.line[1] == 2 and "spring" or o.closed and #o.line[1] == 2 and "hull" or "line", name = name,
    points = #o.line, closed = o.closed, width = o.width, deep = #o.line[1] == 3, fixed = o.fixed or not moves(nodes) }, nodes)
end

-- A planar body without shapes: the points that were asked of it, or a mark where it is.
function Scene:body(b)
  local frame, points, name = planar.frame(b), planar.points(b), planar.name(b)
  local nodes = { value.node(frame.at[1]), value.node(frame.at[2]), frame.angle and value.node(frame.angle) or zero }
  if #points >= 3 then
    local at, list = {}, {}
    for i, p in ipairs(points) do at[i] = { self:start(p[1]), self:start(p[2]) } end
    for i, k in ipairs(hull(at)) do list[i] = points[k] end
    if #list >= 3 then return self:add({ kind = "hull", name = name, points = #list, body = true }, flat(list)) end
  end
  self:add({ kind = "mass", name = name, turns = frame.angle ~= nil, body = true }, nodes)
end

-- A link: from its origin to those of the links it carries, to its shapes and points, and where there are none to its centre of mass.
function Scene:link(b, children)
  local l = kinematics.of(b)
  local ends = {}
  for _, c in ipairs(children) do ends[#ends + 1] = c.now.at end
  for _, centre in ipairs(self.shown[b] or {}) do ends[#ends + 1] = centre end
  for _, d in ipairs(l.points) do ends[#ends + 1] = space.plus(l.now.at, space.turned(l.now.R, d)) end
  if #ends == 0 then
    local centre = l.term and l.term.links[l.index].center
    if centre and (centre[1] ~= zero or centre[2] ~= zero or centre[3] ~= zero) then
      local d = {}
      for i = 1, 3 do d[i] = value.wrap(centre[i]) end
      ends[1] = space.plus(l.now.at, space.turned(l.now.R, d))
    end
  end
  self.tone = (self.tone or -1) + 1
  for _, e in ipairs(ends) do
    self:add({ kind = "bones", name = frames.name(b), points = 2, tone = self.tone, deep = true, body = true }, flat { l.now.at, e })
  end
end

-- A free body without shapes: the brick that has its mass and inertia.
function Scene:free(b, term)
  local frame, size = frames.frame(b), { 0.1, 0.1, 0.1 }
  local mass = self:number(term.mass)
  local I = { self:number(term.inertia[1][1]), self:number(term.inertia[2][2]), self:number(term.inertia[3][3]) }
  if mass and I[1] and I[2] and I[3] then
    for i = 1, 3 do
      local j, k = i % 3 + 1, (i + 1) % 3 + 1
      size[i] = math.sqrt(math.max(1e-12, 6 * (I[j] + I[k] - I[i]) / mass))
    end
  end
  self.spatial = true
  self:add({ kind = "box", name = frames.name(b), size = size, deep = true, body = true }, joined(value.nodes(frame.at), rows(frame.R)))
end

-- The direction d in which a force at the place x has the generalised force w: d . dx/dq = w, solved for d where x moves in several
-- directions; nil where no d does (the other side moves, too).
function Scene:direction(x, w, q)
  local d, JJ, Jw = #x, {}, {}
  local J = {}
  for i = 1, d do J[i] = diff.gradient(x[i], q) end
  for i = 1, d do
    JJ[i], Jw[i] = {}, zero
    for k = 1, #q do Jw[i] = Jw[i] + J[i][k] * w[k] end
    for j = 1, d do
      JJ[i][j] = zero
      for k = 1, #q do JJ[i][j] = JJ[i][j] + J[i][k] * J[j][k] end
    end
  end
  local small = 1e-9 * (JJ[1][1] + JJ[2][2] + 1e-30)
  local a, b, c = JJ[1][1] + small, JJ[1][2], JJ[2][2] + small
  local det = a * c - b * b
  local way = { (c * Jw[1] - b * Jw[2]) / det, (a * Jw[2] - b * Jw[1]) / det }
  for k = 1, #q do
    local off = self:start(value.wrap(w[k] - way[1] * J[1][k] - way[2] * J[2][k]))
    if off ~= off or math.abs(off) >= 1e-6 then return nil end
  end
  return way
end

-- Normal and tangent of a contact in the plane: as its shapes say, else as its gap and slide do.
function Scene:axes(model, c, at, normal)
  local q = {}
  for i, x in ipairs(model.coordinates) do q[i] = x.q end
  local n = normal and value.nodes(normal) or self:direction(at, diff.gradient(c.gap, q), q)
  if not n then return nil end
  local slide = not normal and c.slide and c.slide[1]
  local t = slide and self:direction(at, diff.gradient(slide, q), q) or { n[2], E.zero - n[1] }
  return joined(n, t)
end

-- Where contacts touch; they are lit while they press.
function Scene:contacts(model)
  for _, c in ipairs(model.contacts) do
    local place, normal
    if c.place then place, normal = c.place() end
    local at = place and value.nodes(place)
    if at and #at == (self.spatial and 3 or 2) then
      local axes
      if self.spatial then axes = normal and value.nodes(normal) else axes = self:axes(model, c, at, normal) end
      self:add({ kind = "contact", name = c.name, contact = c.name, deep = #at == 3, normal = axes ~= nil },
        axes and joined(at, axes) or at)
    end
  end
end

-- Coordinates of a model without bodies and shapes: points beside each other, along which they move.
function Scene:coordinates(model)
  for i, c in ipairs(model.coordinates) do
    if i > 40 then break end
    self:add({ kind = "mass", name = c.name, turns = c.unit == "rad", body = true },
      c.unit == "rad" and { E.num(i - 1), zero, c.q } or { E.num(0.3 * (i - 1)), c.q, zero })
  end
end

local function start_values(model, env)
  local at = setmetatable({}, { __index = env })
  at[model.time] = 0
  for _, c in ipairs(model.coordinates) do
    local good, x = pcall(eval.eval, c.initial, env)
    at[c.q] = good and x or 0
  end
  return at
end

function Scene:start(v)
  local good, x = pcall(eval.eval, value.node(v), self.at_start)
  return good and x or 0
end

-- A pile: its shapes by the number of their body, which moves as the driver kept it.
local function pile(self, model)
  local number = {}
  for i, r in ipairs(model.rotations) do number[r.name] = i - 1 end
  for _, x in ipairs(model.pictured) do
    local s = shape.is(x) and shape.fields(x)
    if s and s.spatial and SPATIAL[s.kind] then
      local body = s.given.body and frames.name(s.given.body)
      local item, nodes = SPATIAL[s.kind](self, s)
      item.kind, item.name, item.deep, item.fixed = s.kind, s.name, true, not body
      if body then
        item.index, item.tone, item.offset = number[body], number[body], s.given.at and self:numbers(s.given.at)
        self.items[#self.items + 1] = item
      else
        self:add(item, nodes)
      end
    end
  end
  return { dimension = 3, items = self.items, nodes = self.nodes, up = { 0, 0, 1 } }
end

-- What a mesh may touch, where it is a plane: a gap whose slopes are numbers.
function Scene:obstacle(s, dimension)
  local at, normal, length = setmetatable({}, { __index = self.at_start }), {}, 0
  for _, x in ipairs(s.x) do at[x] = 0 end
  local good, gap = pcall(eval.eval, s.gap, at)
  for k, slope in ipairs(diff.gradient(s.gap, s.x)) do
    local known, x = pcall(eval.eval, slope, self.env)
    if not known then return end
    if k <= dimension then normal[k], length = x, length + x * x end
  end
  if s.moves or not good or length ~= length or length <= 0 then return end
  local nodes = {}
  for k = 1, dimension do nodes[k], nodes[dimension + k] = E.num(-gap * normal[k] / length), E.num(normal[k] / math.sqrt(length)) end
  self:add({ kind = "plane", name = s.name, deep = dimension == 3, fixed = true }, nodes)
end

function Scene:skin(model, dimension)
  self.spatial = self.spatial or dimension == 3
  self:add({ kind = "skin", name = model.meshes[1].name, deep = dimension == 3, body = true }, {})
  for _, s in ipairs(dimension > 1 and model.surfaces or {}) do if #s.x >= dimension then self:obstacle(s, dimension) end end
end

--- The scene of a model; env: numbers of its parameters and inputs by symbol; kept: the driver kept where the bodies of its pile were;
--- skin: the dimension of its meshes, whose outside was kept. Gives { dimension, items, nodes, up }.
return function(model, env, size, kept, skin)
  local self = setmetatable({ items = {}, nodes = {}, env = env, shown = {}, count = 0, at_start = start_values(model, env) }, Scene)
  if model.among and kept then return pile(self, model) end
  local terms, children = {}, {}
  for _, t in ipairs(model.terms) do if t.kind == "free_body" then terms[t.name] = t end end
  local bodies, links = {}, {}
  for _, x in ipairs(model.pictured) do
    if planar.is(x) or frames.is(x) then
      bodies[#bodies + 1] = x
      local l = kinematics.of(x)
      if l then links[#links + 1], children[l] = x, {} end
    elseif shape.is(x) then
      self:shape(shape.fields(x))
    elseif x.drawn then
      self:drawn(x.name, x.drawn)
    end
  end
  for _, b in ipairs(links) do -- what hangs on which: through the frames without mass of joints with several coordinates
    local l = kinematics.of(b)
    local up = l.parent
    while up and not children[up] do up = up.parent end
    if up then table.insert(children[up], l) end
  end
  local named = {}
  for _, i in ipairs(self.items) do named[i.name] = true end
  for _, b in ipairs(bodies) do
    local l = kinematics.of(b)
    if l then
      self.spatial = true
      self:link(b, children[l])
    elseif not self.shown[b] and planar.is(b) then
      if not named[planar.name(b)] then self:body(b) end
    elseif not self.shown[b] and terms[frames.name(b)] then
      self:free(b, terms[frames.name(b)])
    end
  end
  if #self.items == 0 and not model.among and #(model.meshes or {}) == 0 then self:coordinates(model) end
  if skin then self:skin(model, skin) end
  self:contacts(model)
  if self.spatial then -- what is in the plane lies in it
    local left = {}
    for _, i in ipairs(self.items) do
      if i.deep then left[#left + 1] = i end
    end
    self.items = left
  end
  if size(self.nodes) > NODES then return { dimension = 2, items = {}, nodes = {}, up = { 0, 0, 1 } } end
  return { dimension = self.spatial and 3 or 2, items = self.items, nodes = self.nodes, up = { 0, 0, 1 } }
end
