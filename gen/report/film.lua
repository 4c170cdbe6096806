-- What the driver kept for pictures (motion.bin): where the bodies of a pile were, or the outside of meshes, at some instants. Numbers
-- become whole ones of two bytes, those that become colours of one, between their least and greatest.
local base64 = require "gen.report.base64"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local made = require "gen.fem.made"

local F = {}

local function share(x, low, span) return ("<I2"):pack(math.floor(65535 * math.max(0, math.min(1, (x - low) / span)) + 0.5)) end

-- what becomes a colour: more steps than the eye tells apart
local function tone(x, span) return string.char(math.floor(255 * math.max(0, math.min(1, x / span)) + 0.5)) end

local ROOM = 150000 -- bytes of a film: a page stays below a megabyte
local FEWEST = 40 -- contacts of an instant
local PRESS = 36 -- bytes of a contact in the file

-- Contacts that were found and pressed, the strongest of each instant first: how many there were, how many are told; place, normal,
-- root of the impulse and coefficient in 2, 1, 1, 1 bytes each. frames: where they begin in the text, how many, how many told.
local function presses_of(text, frames, room)
  local most, low, high, mu, over, shown = 0, math.huge, -math.huge, 0, {}, {}
  local each = math.max(FEWEST, room // (11 * #frames))
  for f, frame in ipairs(frames) do
    over[f], shown[f] = frame.over, math.min(frame.told, each)
    for k = 0, shown[f] - 1 do
      local x, y, z, _, _, _, push, _, m = string.unpack("=fffffffff", text, frame.at + PRESS * k)
      low, high = math.min(low, x, y, z), math.max(high, x, y, z)
      most, mu = math.max(most, push), math.max(mu, m)
    end
  end
  local parts, count = {}, {}
  for f, frame in ipairs(frames) do
    count[f] = frame.count
    for k = 0, shown[f] - 1 do
      local x, y, z, a, b, c, push, _, m = string.unpack("=fffffffff", text, frame.at + PRESS * k)
      local span = math.max(high - low, 1e-300)
      parts[#parts + 1] = share(x, low, span) .. share(y, low, span) .. share(z, low, span) .. tone(a + 1, 2) .. tone(b + 1, 2)
        .. tone(c + 1, 2) .. tone(math.sqrt(push), math.sqrt(most)) .. tone(m, math.max(mu, 1e-300))
    end
  end
  return json.object { { "count", count }, { "shown", shown }, { "over", over }, { "most", most }, { "friction", mu },
    { "low", #parts > 0 and low or 0 }, { "high", #parts > 0 and high or 0 }, { "data", base64.encode(table.concat(parts)) } }
end

-- Places between `low` and `high`, quaternions between -1 and 1; round: bodies look the same however they turn.
local function bodies_of(text, bodies, from, found, round)
  local size, times, frames, low, high, at, pressed = 8 + 28 * bodies, {}, {}, math.huge, -math.huge, from, {}
  while at + size + (found and 16 or 0) - 1 <= #text do
    times[#times + 1] = string.unpack("=d", text, at)
    local list = {}
    for b = 0, bodies - 1 do
      for k, x in ipairs { string.unpack("=fffffff", text, at + 8 + 28 * b) } do
        if k <= 3 then low, high = math.min(low, x), math.max(high, x) end
        list[k < 8 and 7 * b + k or 0] = x
      end
    end
    frames[#frames + 1] = list
    at = at + size
    if found then
      local count, told, over = string.unpack("=i4i4d", text, at)
      at = at + 16 + PRESS * told
      if at - 1 > #text then return nil end
      pressed[#pressed + 1] = { count = count, told = told, over = over, at = at - PRESS * told }
    end
  end
  if #times == 0 or bodies > 0 and (high - low >= math.huge or high ~= high) then return nil end
  local parts, span, bytes = {}, math.max(high - low, 1e-300), 0
  for f, list in ipairs(frames) do
    local words = {}
    for i = 1, 7 * bodies do
      local place = (i - 1) % 7 < 3
      if place or not round then words[#words + 1] = place and share(list[i], low, span) or share(list[i], -1, 2) end
    end
    parts[f] = table.concat(words)
    bytes = bytes + #parts[f]
  end
  return json.object { { "bodies", bodies }, { "turning", not round }, { "t", times }, { "low", bodies > 0 and low or 0 },
    { "high", bodies > 0 and high or 0 }, { "data", base64.encode(table.concat(parts)) },
    { "presses", found and presses_of(text, pressed, ROOM - bytes) or nil } }
end

local PER = 5 -- numbers of a node in a frame: displacement, strain, stress

-- One frame: displacements without the mean of their mesh, that mean, strains and stresses; nil where a number is not finite.
local function frame_of(text, at, nodes, mesh, count)
  local mean, number, list = {}, {}, {}
  for b = 1, 3 * count do mean[b] = 0 end
  for i = 1, nodes do
    local x, y, z, e, s = string.unpack("=fffff", text, at + 4 * PER * (i - 1))
    if x - x ~= 0 or y - y ~= 0 or z - z ~= 0 or e - e ~= 0 or s - s ~= 0 then return nil end
    local b = 3 * mesh[i]
    mean[b + 1], mean[b + 2], mean[b + 3] = mean[b + 1] + x, mean[b + 2] + y, mean[b + 3] + z
    number[b] = (number[b] or 0) + 1
    table.move({ x, y, z, e, s }, 1, PER, PER * (i - 1) + 1, list)
  end
  for b = 0, count - 1 do
    for k = 1, 3 do mean[3 * b + k] = mean[3 * b + k] / math.max(1, number[3 * b] or 0) end
  end
  for i = 1, nodes do
    for k = 1, 3 do list[PER * (i - 1) + k] = list[PER * (i - 1) + k] - mean[3 * mesh[i] + k] end
  end
  return list, mean
end

local function skin_of(text, nodes, triangles, dimension, from)
  local mesh, count, corners = {}, 0, {}
  for i = 1, nodes do
    mesh[i] = string.unpack("=i4", text, from + 4 * (i - 1))
    count = math.max(count, mesh[i] + 1)
  end
  local X = from + 4 * nodes
  local C = X + 12 * nodes
  local places = {}
  for i = 1, 3 * nodes do places[i] = string.unpack("=f", text, X + 4 * (i - 1)) end
  for i = 1, 3 * triangles do corners[i] = ("<I2"):pack((string.unpack("=i4", text, C + 4 * (i - 1)))) end
  local size, times, means, frames, most = 8 + 4 * PER * nodes, {}, {}, {}, { 0, 0, 0, 0, 0 } -- the greatest of each number
  for at = C + 12 * triangles, #text - size + 1, size do
    local list, mean = frame_of(text, at + 8, nodes, mesh, count)
    if not list then break end
    times[#times + 1] = string.unpack("=d", text, at)
    frames[#frames + 1] = list
    table.move(mean, 1, #mean, #means + 1, means)
    for i, x in ipairs(list) do
      local k = (i - 1) % PER + 1
      most[k] = math.max(most[k], math.abs(x))
    end
  end
  if #times == 0 then return nil end
  local parts, tones, off = {}, {}, math.max(most[1], most[2], most[3])
  for f, list in ipairs(frames) do
    local words, bytes = {}, {}
    for i, x in ipairs(list) do
      local k = (i - 1) % PER + 1
      if k > 3 then
        bytes[#bytes + 1] = tone(x, math.max(most[k], 1e-300))
      else
        words[#words + 1] = share(x, -off, math.max(2 * off, 1e-300))
      end
    end
    parts[f], tones[f] = table.concat(words), table.concat(bytes)
  end
  for i = 1, nodes do mesh[i] = string.char(mesh[i] & 255) end
  return json.object { { "dimension", dimension }, { "nodes", nodes }, { "meshes", count }, { "mesh", base64.encode(table.concat(mesh)) },
    { "X", base64.numbers(places, "<f") }, { "corners", base64.encode(table.concat(corners)) }, { "t", times },
    { "mean", base64.numbers(means, "<d") }, { "off", off }, { "strain", most[4] }, { "stress", most[5] },
    { "data", base64.encode(table.concat(parts)) }, { "tones", base64.encode(table.concat(tones)) } }
end

local NODES = 20000 -- of meshes at the start, of which all are drawn: a page stays below two megabytes

--- The film of meshes as they are at the start: undeformed, at one instant. nil: too many nodes.
function F.start(meshes)
  local number, places, corners, triangles = {}, {}, {}, 0
  for b, mesh in ipairs(meshes) do
    local m, index = made.of(mesh), {}
    for _, list in ipairs(made.outside(mesh)) do
      local around = {}
      for k, n in ipairs(list) do
        if not index[n] then
          local X = m.nodes[n]
          index[n], number[#number + 1] = #number, ("=i4"):pack(b - 1)
          places[#places + 1] = ("=fff"):pack(X[1], X[2] or 0, X[3] or 0)
        end
        around[k] = index[n]
      end
      around[3] = around[3] or around[2] -- of a line
      for k = 3, #around do
        triangles, corners[#corners + 1] = triangles + 1, ("=i4i4i4"):pack(around[1], around[k - 1], around[k])
      end
    end
  end
  if #number > NODES then return nil end
  return ("carom skin of %d nodes %d triangles in %d dimensions\n"):format(#number, triangles, meshes[1].dimension)
    .. table.concat(number) .. table.concat(places) .. table.concat(corners) .. ("\0"):rep(8 + 4 * PER * #number)
end

--- What is in this file: bodies and found contacts, skin and its dimension; nothing where it is not there or not whole. round: all
--- bodies are spheres about their centres.
function F.read(path, round)
  local text = fs.read(path) or ""
  local bodies, found, from = text:match "^carom motion of (%d+) bodies([ a-z]*)\n()"
  if bodies then return bodies_of(text, math.tointeger(bodies), from, found ~= "", round) end
  local nodes, triangles, dimension, at = text:match "^carom skin of (%d+) nodes (%d+) triangles in (%d) dimensions\n()"
  if not nodes then return nil end
  nodes, triangles, dimension = math.tointeger(nodes), math.tointeger(triangles), math.tointeger(dimension)
  if nodes == 0 or nodes > 65535 or #text < at - 1 + 16 * nodes + 12 * triangles then return nil end
  return nil, skin_of(text, nodes, triangles, dimension, at), dimension
end

return F
