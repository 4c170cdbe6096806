-- SDF (Gazebo) as a robot, as gen/robot/urdf.lua has it. Poses of links are in the frame of the model, those of joints in that of the
-- child: here the frame of a link is that of the joint it hangs on, so what a link holds is moved there.
local hull = require "gen.robot.hull"
local reader = require "gen.robot.reader"
local turn = require "gen.robot.turn"
local xml = require "gen.robot.xml"

local S = {}

local KINDS = { fixed = "fixed", revolute = "revolute", continuous = "revolute", prismatic = "prismatic" }
local zero = { 0, 0, 0 }

local Reader = reader.kind()

-- numbers that stand in an element below this one
function Reader:numbers(element, name, count, default)
  local child = element and xml.child(element, name)
  if not child then
    if default == nil then self:refuse(element, "<%s> has no <%s>", element.tag, name) end
    return default
  end
  local list = xml.numbers(child.text or "")
  if not list or #list ~= count then self:refuse(child, "<%s> holds no %d number%s", name, count, count == 1 and "" or "s") end
  return list
end

function Reader:number(element, name, default) return self:numbers(element, name, 1, default and { default } or nil)[1] end

local function word(element, name)
  local child = element and xml.child(element, name)
  return child and (child.text or ""):match "^%s*(.-)%s*$" or nil
end

-- { origin, rows }
local function pose_of(self, element)
  local p = xml.child(element, "pose")
  if not p then return { zero, turn.identity } end
  local x = self:numbers(element, "pose", 6)
  return { { x[1], x[2], x[3] }, turn.rpy(x[4], x[5], x[6]) }, p.attr.relative_to or p.attr.frame
end

local function times(a, b) return { turn.plus(a[1], turn.turned(a[2], b[1])), turn.times(a[2], b[2]) } end

local function turned_inertia(I, R) return turn.times(turn.times(R, I), turn.transposed(R)) end

local function inverse(a)
  local T = turn.transposed(a[2])
  local back = turn.turned(T, a[1])
  return { { -back[1], -back[2], -back[3] }, T }
end

-- The place of a link in the model, and of what else poses are relative to.
function Reader:place(name, from)
  if name == "__model__" or name == "" then return { zero, turn.identity } end
  if self.places[name] then return self.places[name] end
  local element = self.posed[name]
  if not element then self:refuse(from, "a pose is relative to %s, which is not there", name) end
  if self.asked[name] then self:refuse(from, "poses are relative to each other in a ring: %s", name) end
  self.asked[name] = true
  local own, relative = pose_of(self, element)
  if not relative and element.tag == "joint" then relative = word(element, "child") end
  self.places[name] = relative and times(self:place(relative, element), own) or own
  return self.places[name]
end

function Reader:shape(link, collision)
  local g = xml.child(collision, "geometry")
  local what = g and g[1]
  if not what then return end
  local own, relative = pose_of(self, collision)
  if relative and relative ~= link.name then
    own = times(inverse(self:place(link.name, collision)), times(self:place(relative, collision), own))
  end
  local s = { kind = what.tag, at = own[1], R = own[2] }
  if what.tag == "box" then
    s.size = self:numbers(what, "size", 3)
  elseif what.tag == "sphere" then
    s.radius = self:number(what, "radius")
  elseif what.tag == "cylinder" or what.tag == "capsule" then
    s.radius, s.length = self:number(what, "radius"), self:number(what, "length")
  elseif what.tag == "mesh" then
    local points, why = hull.read(word(what, "uri") or "", self.folder, self:numbers(what, "scale", 3, { 1, 1, 1 }))
    if not points then return self:note("the collision mesh of link %s: %s", link.name, why) end
    self:polyhedron(s, points, word(what, "uri"), why)
  else
    return self:note("the collision shape <%s> of link %s", what.tag, link.name)
  end
  if xml.child(collision, "surface") then self:note "friction and bounce of surfaces: the model has parameters friction and restitution" end
  table.insert(link.shapes, s)
end

function Reader:link(element)
  local link = { name = element.attr.name or self:refuse(element, "<link> has no name"), line = element.line, mass = 0, center = zero,
    inertia = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, shapes = {} }
  local inertial = xml.child(element, "inertial")
  if inertial then
    local own = pose_of(self, inertial)
    local I = xml.child(inertial, "inertia")
    link.mass, link.center = self:number(inertial, "mass", 1), own[1]
    if link.mass < 0 then self:refuse(inertial, "the mass of link %s is %g", link.name, link.mass) end
    local function get(name, default) return I and self:number(I, name, default) or default end
    local xx, yy, zz, xy, xz, yz = get("ixx", 1), get("iyy", 1), get("izz", 1), get("ixy", 0), get("ixz", 0), get("iyz", 0)
    link.inertia = turned_inertia({ { xx, xy, xz }, { xy, yy, yz }, { xz, yz, zz } }, own[2])
  end
  for _, c in ipairs(xml.all(element, "collision")) do self:shape(link, c) end
  table.insert(self.robot.links, link)
  self.links[link.name] = link
end

-- Moves what a link holds into a frame that is at `own` in its old one.
local function move(link, own)
  local back = inverse(own)
  link.center = times(back, { link.center, turn.identity })[1]
  link.inertia = turned_inertia(link.inertia, back[2])
  for _, s in ipairs(link.shapes) do
    local there = times(back, { s.at, s.R })
    s.at, s.R = there[1], there[2]
    for i, p in ipairs(s.points or {}) do s.points[i] = times(back, { p, turn.identity })[1] end
  end
end

function Reader:joint(element)
  local name = element.attr.name or self:refuse(element, "<joint> has no name")
  local kind = KINDS[element.attr.type or ""]
  if not kind then self:refuse(element, "joint %s has the type '%s'; known are fixed, revolute, continuous, prismatic", name,
    tostring(element.attr.type)) end
  local parent, child = word(element, "parent"), word(element, "child")
  local axis = xml.child(element, "axis")
  local j = { name = name, line = element.line, kind = kind, parent = parent, child = child, axis = { 0, 0, 1 }, damping = 0 }
  for _, end_of in ipairs { "parent", "child" } do
    if j[end_of] ~= "world" and not self.links[j[end_of] or ""] then
      self:refuse(element, "joint %s: there is no link %s", name, tostring(j[end_of]))
    end
  end
  if child == "world" then self:refuse(element, "joint %s: the world hangs on nothing", name) end
  local here = self:place("joint " .. name, element) -- the frame of the joint, in the model
  self.frames[child] = here
  move(self.links[child], times(inverse(self:place(child, element)), here))
  if axis then
    local xyz = xml.child(axis, "xyz")
    j.axis = self:numbers(axis, "xyz", 3, { 0, 0, 1 })
    local frame = xyz and xyz.attr.expressed_in or word(axis, "use_parent_model_frame") == "1" and "__model__"
      or word(axis, "use_parent_model_frame") == "true" and "__model__"
    if frame then j.axis = turn.turned(inverse(here)[2], turn.turned(self:place(frame, axis)[2], j.axis)) end
    local limit, dynamics = xml.child(axis, "limit"), xml.child(axis, "dynamics")
    local low, high = limit and self:number(limit, "lower", -1e16), limit and self:number(limit, "upper", 1e16)
    if element.attr.type ~= "continuous" and low and low > -1e15 and high < 1e15 then j.low, j.high = low, high end
    if limit and (word(limit, "effort") or word(limit, "velocity")) then self:note "limits of velocity and effort" end
    if dynamics then
      j.damping = self:number(dynamics, "damping", 0)
      for _, more in ipairs { "friction", "spring_stiffness" } do
        if self:number(dynamics, more, 0) ~= 0 then self:note("%s of the joint %s", more:gsub("_", " "), name) end
      end
    end
    j.motor = kind ~= "fixed"
  end
  table.insert(self.robot.joints, j)
end

function Reader:model(model)
  self.robot.name = model.attr.name or "robot"
  for _, tag in ipairs { "link", "joint", "frame" } do
    for _, e in ipairs(xml.all(model, tag)) do
      local name = e.attr.name
      if name then self.posed[name] = self.posed[name] or e end
      if name and tag == "joint" then self.posed["joint " .. name] = e end -- in old files a link may have the same name
    end
  end
  for _, e in ipairs(xml.all(model, "link")) do self:link(e) end
  for _, e in ipairs(xml.all(model, "joint")) do self:joint(e) end
  for _, e in ipairs(model) do
    if e.tag == "include" or e.tag == "model" then self:refuse(e, "<%s> in a model is not read; write out its links and joints", e.tag) end
    if e.tag == "plugin" or e.tag == "gripper" then self:note("<%s>", e.tag) end
    if e.tag == "static" and word(model, "static") == "true" then self:note "static: the model moves here" end
  end
  -- joints lead from frame to frame
  for _, j in ipairs(self.robot.joints) do
    local from = j.parent == "world" and { zero, turn.identity } or self.frames[j.parent] or self:place(j.parent, model)
    local way = times(inverse(from), self.frames[j.child])
    j.at, j.R = way[1], way[2]
  end
  local on_world = false
  for _, j in ipairs(self.robot.joints) do on_world = on_world or j.parent == "world" end
  if on_world then
    table.insert(self.robot.links, 1, { name = "world", line = model.line, mass = 0, center = zero, inertia = { zero, zero, zero },
      shapes = {} })
  end
end

--- The robot of a parsed file; folder: where its meshes are looked for.
function S.robot(root, file, folder)
  local self = setmetatable({ file = file, folder = folder, noted = {}, places = {}, posed = {}, asked = {}, links = {}, frames = {},
    robot = { links = {}, joints = {}, left_out = {} } }, Reader)
  local world = xml.child(root, "world")
  local models = xml.all(world or root, "model")
  if #models == 0 then self:refuse(root, "<sdf> has no <model>") end
  if #models > 1 then self:refuse(models[2], "<sdf> has several models; leave one") end
  if world then self:note "the world around the model: its physics, lights and scene" end
  self:model(models[1])
  return self.robot
end

return S
