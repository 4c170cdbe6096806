-- Mesh files of gmsh, formats 2.2 and 4.1: the kind of cell and the named boundaries of any file (outline), the whole mesh of
-- a text file (read). Cells of highest dimension make the body; nodes that no cell uses are left out. Elements of higher order are
-- refused, text or binary: their corners alone would be another body.
local cells = require "gen.fem.cells"

local M = {}

-- gmsh's number of a kind of element -> dimension, corners, our name of the kind
local kinds = { [15] = { 0, 1 } }
for _, name in ipairs(cells.names) do kinds[cells[name].gmsh] = { cells[name].dimension, cells[name].nodes, name } end
-- those of second order, for the message
local second = { [8] = "line of 3 nodes", [9] = "triangle of 6 nodes", [10] = "quadrilateral of 9 nodes",
  [11] = "tetrahedron of 10 nodes", [12] = "hexahedron of 27 nodes", [13] = "prism of 18 nodes", [14] = "pyramid of 14 nodes",
  [16] = "quadrilateral of 8 nodes", [17] = "hexahedron of 20 nodes", [18] = "prism of 15 nodes", [19] = "pyramid of 13 nodes" }

-- Reading goes forward through the lines; whatever does not fit ends it with a reason.
local Reader = {}
Reader.__index = Reader

local function stop(...) error({ gmsh = string.format(...) }, 0) end

-- The entry of a kind of element; one that carom has not ends the reading. where: for the message.
local function known(kind, where)
  kind = math.tointeger(kind) or -1
  if kinds[kind] then return kinds[kind] end
  if kind >= 8 then
    stop("%s has an element of %s order (gmsh's kind %d%s), and carom's cells are of first order; write Mesh.ElementOrder = 1 in the "
      .. ".geo file, or gmsh -order 1, and mesh it anew", where, second[kind] and "second" or "higher", kind,
      second[kind] and ", a " .. second[kind] or "")
  end
  stop("%s has an element of gmsh's kind %d, which carom has not; use lines, triangles, quadrilaterals, tetrahedra, hexahedra", where, kind)
end

function Reader:line()
  local line = self.next_line()
  self.number = self.number + 1
  if not line then stop("the file ends within %s", self.section or "its head") end
  return line
end

-- the numbers of the next line
function Reader:numbers()
  local line, list = self:line(), {}
  for word in string.gmatch(line, "%S+") do
    local x = tonumber(word)
    if not x or x - x ~= 0 then stop("line %d should hold numbers, not '%s'", self.number, string.sub(line, 1, 40)) end
    list[#list + 1] = x
  end
  return list
end

-- a whole number that is not negative, with its place in the line for the message
function Reader:whole(x, what)
  local n = math.tointeger(x)
  if not n or n < 0 then stop("line %d should hold %s", self.number, what) end
  return n
end

function Reader:count(position)
  local n = math.tointeger(self:numbers()[position or 1])
  if not n or n < 0 then stop("line %d should begin with a count", self.number) end
  return n
end

local parts = {}

function parts.MeshFormat(self)
  local version, binary = string.match(self:line(), "^%s*([%d.]+)%s+(%d)")
  if version ~= "2.2" and version ~= "4.1" then
    stop("it has the format %s; save it as 2.2 or 4.1 (gmsh -format msh22 or msh41)", version or "of no mesh")
  end
  self.version, self.binary = version, binary == "1"
  if self.binary then self:line() end
end

function parts.PhysicalNames(self)
  for _ = 1, self:count() do
    local line = self:line()
    local dimension, tag, name = string.match(line, '^%s*(%d+)%s+(%d+)%s+"([^"]*)"')
    if not name then stop("line %d should be a physical name: dimension, number, \"name\"", self.number) end
    table.insert(self.physical, { dimension = tonumber(dimension), tag = tonumber(tag), name = name })
  end
end

-- which physical groups each entity of format 4.1 belongs to: groups[dimension][entity] = { tag ... }
function parts.Entities(self)
  local counts = self:numbers()
  for dimension = 0, 3 do
    self.groups[dimension] = {}
    local skip = dimension == 0 and 4 or 7
    for _ = 1, self:whole(counts[dimension + 1] or 0, "counts of entities") do
      local n, tags = self:numbers(), {}
      for i = 1, math.min(self:whole(n[skip + 1] or 0, "an entity"), #n) do tags[i] = math.abs(n[skip + 1 + i] or 0) end
      self.groups[dimension][self:whole(n[1], "an entity")] = tags
    end
  end
end

function parts.PartitionedEntities() stop("it is cut into parts; save it whole, parts are made when it is run") end

function parts.Nodes(self)
  local function put(tag, x, y, z)
    if not z then stop("line %d should hold a node", self.number) end
    self.place[self:whole(tag, "the number of a node")] = { x, y, z }
  end
  if self.version == "2.2" then
    for _ = 1, self:count() do
      local n = self:numbers()
      put(n[1], n[2], n[3], n[4])
    end
    return
  end
  for _ = 1, self:count() do
    local tags = {}
    for i = 1, self:count(4) do tags[i] = self:count() end
    for _, tag in ipairs(tags) do
      local n = self:numbers()
      put(tag, n[1], n[2], n[3])
    end
  end
end

function parts.Elements(self)
  local function put(kind, tags, n, first)
    local item = known(kind, "line " .. self.number)
    local corners = {}
    for c = 1, item[2] do corners[c] = math.tointeger(n[first + c - 1]) or stop("line %d should hold an element", self.number) end
    table.insert(self.elements[item[1]], { kind = item[3], tags = tags, corners = corners })
  end
  if self.version == "2.2" then
    for _ = 1, self:count() do
      local n = self:numbers()
      put(n[2], { n[4] }, n, 4 + (n[3] or 0))
    end
    return
  end
  for _ = 1, self:count() do
    local block = self:numbers()
    local tags = (self.groups[block[1]] or {})[block[2]] or {}
    for _ = 1, self:whole(block[4] or 0, "a count of elements") do put(block[3], tags, self:numbers(), 2) end
  end
end

-- Runs through the sections that `wanted` names; calls done() after each, true ends the reading.
local function scan(path, wanted, done)
  local file, why = io.open(path, "rb")
  if not file then return nil, "it cannot be read: " .. (why or path):gsub("^.*: ", "") end
  local self = setmetatable({ next_line = file:lines(), number = 0, physical = {}, groups = {}, place = {},
    elements = { [0] = {}, {}, {}, {} } }, Reader)
  local good, message = pcall(function()
    local first = true
    while true do
      local line = self.next_line()
      if not line then break end
      self.number = self.number + 1
      local section = string.match(line, "^%$(%a+)")
      if first and section ~= "MeshFormat" then stop("it is no mesh of gmsh: it should begin with $MeshFormat") end
      first = false
      if section and wanted[section] then
        self.section = "$" .. section
        parts[section](self)
        if done(self, section) then break end
      end
    end
    if not self.version then stop("it is no mesh of gmsh: it should begin with $MeshFormat") end
  end)
  file:close()
  if good then return self end
  if type(message) == "table" and message.gmsh then return nil, message.gmsh end
  error(message, 0)
end

local function top(elements)
  for dimension = 3, 1, -1 do if #elements[dimension] > 0 then return dimension end end
end

-- the one kind of the cells, or nil and why
local function cell_of(self)
  local dimension = top(self.elements)
  if not dimension then return nil, "it holds no cells" end
  local kind = self.elements[dimension][1].kind
  for _, e in ipairs(self.elements[dimension]) do
    if e.kind ~= kind then return nil, ("it mixes %s and %s; make cells of one kind"):format(kind, e.kind) end
  end
  return kind
end

local function named(self, dimension)
  local list = {}
  for _, p in ipairs(self.physical) do if p.dimension == dimension then list[#list + 1] = p.name end end
  return list
end

local HEAD = { MeshFormat = true, PhysicalNames = true }
local ALL = { MeshFormat = true, PhysicalNames = true, Entities = true, PartitionedEntities = true, Nodes = true, Elements = true }
local WITHOUT_NODES = { MeshFormat = true, PhysicalNames = true, Elements = true }

-- Puts a binary file behind the line $Elements; gives its format and byte order.
local function find_elements(file)
  local format = assert(file:read("l") and file:read("l"))
  local order = file:read(4) == string.pack("<i4", 1) and "<" or ">"
  local at, tail = file:seek(), ""
  while true do
    local chunk = file:read(1 << 20)
    if not chunk then stop("it holds no elements") end
    local _, last = string.find(tail .. chunk, "\n$Elements\n", 1, true)
    if last then
      file:seek("set", at - #tail + last)
      return string.match(format, "^%s*([%d.]+)"), order
    end
    at, tail = at + #chunk, string.sub(chunk, -11)
  end
end

-- Goes through the kinds of elements of a binary file: blocks of alike ones, whose data are skipped.
local function check_binary(path)
  local file <close> = assert(io.open(path, "rb"))
  local version, order = find_elements(file)
  local where = string.match(path, "[^/]*$")
  local function head(format)
    local data = file:read(string.packsize(order .. format)) or ""
    if #data < string.packsize(order .. format) then stop("it ends within $Elements") end
    return string.unpack(order .. format, data)
  end
  if version == "2.2" then
    local left = math.tointeger(tonumber(file:read("l"))) or 0
    while left > 0 do
      local kind, n, tags = head "i4i4i4"
      file:seek("cur", 4 * n * (1 + tags + known(kind, where)[2]))
      left = n > 0 and left - n or 0
    end
    return
  end
  for _ = 1, (head "i8i8i8i8") do
    local _, _, kind, n = head "i4i4i4i8"
    file:seek("cur", 8 * n * (1 + known(kind, where)[2]))
  end
end

--- { cell =, boundaries = { names of groups one dimension lower } }; nil and a reason. `cell` must be said of binary files, of which
-- only the head and the kinds of elements are read.
function M.outline(path, cell)
  local self, why = scan(path, HEAD, function(reader, section)
    return section == "PhysicalNames" or not reader.binary
  end)
  if self and self.binary and not cell then return nil, "it is binary: say which cells it holds, as in cell = \"tet4\"" end
  if self and self.binary then
    local good, message = pcall(check_binary, path)
    if not good and type(message) == "table" and message.gmsh then return nil, message.gmsh end
    if not good then error(message, 0) end
  elseif self then
    self, why = scan(path, WITHOUT_NODES, function(_, section) return section == "Elements" end)
    local found
    if self then found, why = cell_of(self) end
    if found and cell and found ~= cell then
      return nil, ("it holds %s, not %s; leave out cell, or write cell = \"%s\""):format(found, cell, found)
    end
    cell = found
  end
  if not self or not cell then return nil, why end
  return { cell = cell, boundaries = named(self, cells[cell].dimension - 1) }
end

-- Faces of cells by their nodes in any order -> their nodes so that the normal points outward.
local function outward(cell, list)
  local by_key = {}
  for _, nodes in ipairs(list) do
    for _, corners in ipairs(cells[cell].faces) do
      local face, sorted = {}, {}
      for i, c in ipairs(corners) do face[i], sorted[i] = nodes[c], nodes[c] end
      table.sort(sorted)
      by_key[table.concat(sorted, ",")] = face
    end
  end
  return function(face)
    local sorted = { table.unpack(face) }
    table.sort(sorted)
    return by_key[table.concat(sorted, ",")]
  end
end

--- The mesh, as gen/fem/grid.lua makes it; nil and a reason.
function M.read(path)
  local self, why = scan(path, ALL, function(reader)
    if reader.binary then stop("it is binary, which is read on PETSc only; save it as text (gmsh -bin 0), or run with --path petsc") end
  end)
  if not self then return nil, why end
  local cell
  cell, why = cell_of(self)
  if not cell then return nil, why end
  local d = cells[cell].dimension
  local mesh, number = { nodes = {}, cells = {}, boundaries = {} }, {}
  for c, e in ipairs(self.elements[d]) do
    mesh.cells[c] = {}
    for i, tag in ipairs(e.corners) do
      if not number[tag] then
        local place = self.place[tag]
        if not place then return nil, ("a cell uses the node %d, which it does not hold"):format(tag) end
        mesh.nodes[#mesh.nodes + 1] = { table.unpack(place, 1, d) }
        number[tag] = #mesh.nodes
      end
      mesh.cells[c][i] = number[tag]
    end
  end
  local name_of = {}
  for _, p in ipairs(self.physical) do
    if p.dimension == d - 1 then
      name_of[p.tag], mesh.boundaries[p.name] = p.name, {}
    end
  end
  local oriented = outward(cell, mesh.cells)
  for _, e in ipairs(self.elements[d - 1]) do
    for _, tag in ipairs(e.tags) do
      if name_of[tag] then
        local face = {}
        for i, node in ipairs(e.corners) do face[i] = number[node] end
        face = #face == #e.corners and oriented(face)
        if face then table.insert(mesh.boundaries[name_of[tag]], face) end -- a face of no cell holds nothing
      end
    end
  end
  return mesh
end

return M
