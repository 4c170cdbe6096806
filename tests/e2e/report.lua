-- The report of a run: rows that are shown, and the page itself. (What a browser makes of it is in browser.lua.)
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local large = require "tests.e2e.large"
local rows = require "gen.report.rows"
local base64 = require "gen.report.base64"

local carom = large.carom

T.test("numbers as base64, of every length", function()
  T.eq(base64.encode "", "")
  T.eq(base64.encode "M", "TQ==")
  T.eq(base64.encode "Ma", "TWE=")
  T.eq(base64.encode "Man", "TWFu")
  T.eq(base64.numbers({ 1, -2 }, "<f"), "AACAPwAAAMA=")
  T.eq(base64.numbers({ 1e300 }, "<f"), base64.numbers({ math.huge }, "<f"))
end)

-- a result with as many rows, in which the contact closes for one row at each place of `hits` (row -> impulse)
local function result(n, hits)
  local lines, sum = { "t,q,c.gap,c.impulse,c.status" }, 0
  for k = 0, n - 1 do
    sum = sum + (hits[k] or 0)
    lines[#lines + 1] = ("%g,%g,0,%g,%d"):format(k / 1000, k % 7, sum, hits[k] and 1 or 0)
  end
  local path = S.folder .. "/rows.csv"
  assert(fs.write(path, table.concat(lines, "\n") .. "\n"))
  return path
end

local function place(list, t)
  for i, x in ipairs(list) do if x == t then return i end end
end

T.test("a long result is shown evenly, with its ends and every impact and the row before it", function()
  local shown = rows.read(result(100000, { [777] = 1, [50001] = 2, [99998] = 3 }))
  T.eq(shown.total, 100000)
  T.eq(shown.events, 6) -- closes and opens
  T.ok(shown.rows < 3100 and shown.rows > 1400, "rows: " .. shown.rows)
  local t = shown.columns[1]
  for _, k in ipairs { 0, 776, 777, 778, 50000, 50001, 50002, 99997, 99998, 99999 } do
    T.ok(place(t, k / 1000), "row " .. k)
  end
  for i = 2, #t do T.ok(t[i] > t[i - 1] and t[i] - t[i - 1] < 0.1, "order and distance of rows") end
end)

T.test("with more impacts than room the hardest are shown", function()
  local hits = {}
  for k = 10, 99990, 10 do hits[k] = k == 43210 and 500 or 1 + k % 3 end
  local shown = rows.read(result(100000, hits))
  T.ok(shown.rows <= 3100, "rows: " .. shown.rows)
  local i = place(shown.columns[1], 43.21)
  T.ok(i and shown.columns[4][i] - shown.columns[4][i - 1] == 500, "the hardest impact is shown with its jump")
end)

T.test("the last row is found from the end, not by a search from each character", function()
  local path = S.folder .. "/wide.csv"
  assert(fs.write(path, "t,q\n" .. ("1,2" .. (",1.2345678901234567"):rep(40) .. "\n"):rep(3000) .. "3,-4\n\n"))
  local began = os.clock()
  T.eq(table.concat(rows.last(path), " "), "3 -4")
  T.ok(os.clock() - began < 0.5, ("%.2f s for the last row"):format(os.clock() - began)) -- some ms; some s by a search
  assert(fs.write(path, "7,8"))
  T.eq(table.concat(rows.last(path), " "), "7 8")
  assert(fs.write(path, ""))
  T.eq(#rows.last(path), 0)
end)

T.test("a short result is shown as it is; what is no result is refused", function()
  local shown = rows.read(result(50, { [20] = 1 }))
  T.eq(shown.rows, 50)
  local path = S.folder .. "/other.csv"
  assert(fs.write(path, "a,b\n1,2\n"))
  local none, why = rows.read(path)
  T.ok(not none and why:find "not a result", why)
end)

local function run(words)
  local dir = large.out()
  local out, err, code = carom(("run %s --out %s --json"):format(words, dir))
  T.eq(code, 0, out .. err)
  return fs.read(dir .. "/report.html"), dir, json.read(out)
end

-- what the page was given
local function data(page)
  return json.read(assert(page:match "\nconst RUN = (.-);\nRUN%.scene%.pose"))
end

-- the contacts of the last instant of a film
local function pressed(path)
  local text = fs.read(path)
  local bodies, at = text:match "^carom motion of (%d+) bodies and contacts\n()"
  local list
  while at < #text do
    list = {}
    local _, told, _, from = ("=i4i4d"):unpack(text, at + 8 + 28 * bodies)
    for k = 0, told - 1 do
      local _, _, z, _, _, normal, impulse, friction = ("=fffffffff"):unpack(text, from + 36 * k)
      list[k + 1] = { z = z, normal = normal, impulse = impulse, friction = friction }
    end
    at = from + 36 * told
  end
  return list
end

local MODELS = {
  { "bouncing_ball", "bouncing_ball --step 1e-2 --until 2", dimension = 2, items = { ball = "disk", ground = "line" } },
  { "slider_crank", "slider_crank --step 1e-4 --until 0.02", dimension = 2,
    items = { slider = "hull", crank = "line", corner1 = "contact", guide1 = "line" } },
  { "billiard", "billiard --step 2e-3 --until 1", dimension = 3, items = { cue = "sphere", table_top = "plane" } },
  { "box_tumble", "box_tumble --step 2e-3 --until 1", dimension = 3, items = { brick = "box", floor = "plane" } },
  { "arm7", "arm7 --step 1e-3 --until 0.7", dimension = 3, items = { joint1 = "bones", table = "contact" } },
  { "sphere_pile", "sphere_pile --set N=8 --step 4e-3 --until 0.4", dimension = 3, items = { ball0 = "sphere", floor = "plane" } },
}
if large.here then
  table.insert(MODELS, { "dropped_block", "dropped_block --set n=4 --path petsc", dimension = 3, items = { block = "skin",
    floor = "plane" } })
end

for _, case in ipairs(MODELS) do
  local test = (case[1] == "arm7" or case[1] == "billiard") and T.long_test or T.test -- which take long to compile
  test("report of " .. case[1], function()
    local page, dir = run(case[2])
    T.ok(page and #page < 1e6, "a page of less than a megabyte")
    T.ok(not page:find "@[A-Z_]+@", "every part is filled in")
    T.ok(not page:find("<script src", 1, true) and not page:find("<link rel=\"stylesheet", 1, true), "it needs nothing else")
    T.ok(page:find("carom run " .. case[1], 1, true), "the command that makes it")
    local given = data(page)
    T.eq(given.scene.dimension, case.dimension)
    local kinds = {}
    for _, item in ipairs(given.scene.items) do kinds[item.name .. item.kind] = true end
    for name, kind in pairs(case.items) do T.ok(kinds[name .. kind], ("%s is drawn as %s"):format(name, kind)) end
    T.eq(given.columns[1].name, "t")
    if case[1] == "dropped_block" then
      T.eq(given.skin.nodes, 98) -- of 5 x 5 x 5 those outside
      T.ok(#given.skin.t > 10 and given.skin.strain > 1e-4 and given.skin.strain < 1e-2, "strained")
    end
    if case[1] == "sphere_pile" then
      T.eq(given.motion.bodies, 8)
      local p = given.motion.presses
      T.ok(not given.motion.turning, "spheres look the same however they turn")
      T.ok(p.count[#p.count] >= 8 and p.shown[#p.shown] == p.count[#p.count], "each of 8 spheres at rest presses on something")
      T.ok(math.max(table.unpack(p.over)) < 1e-6 * p.most and math.abs(p.friction - 0.2) < 1e-6, "friction stays in its cones")
      local up, weight = 0, 8 * 2500 * 4 / 3 * math.pi * 1e-6 * 9.81 * 4e-3 -- of a step
      for _, x in ipairs(pressed(dir .. "/motion.bin")) do
        T.ok(x.friction <= 0.2000001 * x.impulse and x.impulse > 0, "a contact that presses")
        if x.normal > 0.99 and x.z < 0.005 then up = up + x.normal * x.impulse end
      end
      T.ok(math.abs(up / weight - 1) < 0.02, ("the floor carries %.4g, the spheres weigh %.4g"):format(up, weight)) -- walls: the rest
      T.ok(#given.motion.t >= 24 and given.motion.t[1] == 0 and math.abs(given.motion.t[#given.motion.t] - 0.4) < 1e-9, "over the run")
    end
  end)
end

T.test("a pile beside a mechanism is drawn from its columns, and its contacts are lit", function()
  local path = S.folder .. "/beside.lua"
  assert(fs.write(path, [[
local carom = require "carom"
local m = carom.model "beside"
m:gravity(0, 0, -9.81)
local x = m:coordinate("x", { initial = 1 })
m:kinetic_energy(x.dot^2 / 2)
m:potential_energy(x^2 / 2)
local shapes = { m:plane("floor", { normal = { 0, 0, 1 } }) }
for i = 1, 3 do
  local b = m:free_body("b" .. i, { mass = 1, inertia = 0.004, at = { 0, 0, 0.22 * i } })
  shapes[i + 1] = m:sphere("s" .. i, { radius = 0.1, body = b })
end
m:contacts_among(shapes, { friction = 0.3 })
return m
]]))
  local page = run(path .. " --step 4e-3 --until 0.6")
  local given, balls = data(page), 0
  local p = given.motion.presses
  T.eq(given.motion.bodies .. " " .. p.count[1] .. " " .. p.count[#p.count], "0 0 3")
  T.ok(p.most > 3 * 9.81 * 4e-3 and p.most < 10, "the lowest carries all, and what fell: " .. p.most)
  for _, item in ipairs(given.scene.items) do balls = balls + (item.kind == "sphere" and item.o and 1 or 0) end
  T.eq(balls, 3)
end)

T.test("the outside of a mesh on the small path is drawn, with its strain, and magnified where it is too little to be seen", function()
  local page, dir = run "sliding_block_fem --path small --until 0.01"
  local given = data(page)
  T.eq(given.scene.dimension, 2)
  T.eq(given.skin.nodes, 85)
  T.eq(given.skin.t[1], 0)
  T.ok(math.abs(given.skin.t[#given.skin.t] - 0.01) < 1e-9, "to the end")
  T.ok(given.skin.off > 0 and given.skin.off < 1e-3 and given.skin.strain > 1e-4 and given.skin.strain < 1e-2, "how far")
  T.ok(not fs.read(dir .. "/report.html"):find "step %-?nan", "the step is known")
  local groups = {}
  for _, c in ipairs(given.columns) do groups[c.name] = c.group .. (c.unit and " " .. c.unit or "") end
  T.eq(groups["front.x"], "q m")
  T.eq(groups["front.x.dot"], "v m/s")
  T.eq(groups["floor.force.x"], "force N")
  T.eq(groups.elastic, "energy J")
end)

T.test("energies of a model that does not give them come from its terms: a pendulum of links keeps them, and they are m g h", function()
  local model = S.folder .. "/swing.lua"
  assert(fs.write(model, [[
local m = require("carom").model "swing"
m:gravity(0, 0, -10)
local a = m:link("a", { joint = "revolute", axis = { 0, 1, 0 }, mass = 2, inertia = { 0.1, 0.1, 0.1 }, center = { 1, 0, 0 } })
m:run { until_time = 0.4, step = 1e-3, scheme = "D-:M=2" }
return m
]]))
  local page = run(model)
  T.ok(data(page).has_energy, "computed")
  -- the function of the page, in Lua: the angle is column 1, its rate column 2
  local body = page:match "RUN%.energy = function %(c, t, o%) {\n[^\n]*\n(.-)\n};"
  body = body:gsub("const ", "local "):gsub("c%[(%d+)%]", "c[%1]")
  local f = load("local c, t, o = ...; local sin, cos, pow = math.sin, math.cos, function(a, b) return a ^ b end\n" .. body)
  local o = {}
  f({ [0] = 0, [1] = 0.3, [2] = 2 }, 0, o)
  T.near(o[0], 0.5 * (2 + 0.1) * 4, 1e-12)
  T.near(o[1], -2 * 10 * math.sin(0.3), 1e-12)
end)

T.test("momentum is balanced where the whole can be shifted, and told nowhere else", function()
  local lang, momentum = require("gen.lang.core.load"), require "gen.report.momentum"
  local function of(text)
    local model = lang.load("test.lua", { text = 'local carom = require "carom"\nlocal m = carom.model "test"\n' .. text
      .. "\nreturn m\n" })
    local env = {}
    for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
    local said = {}
    for i, b in ipairs(momentum(model, env)) do
      said[i] = ("%s %g"):format(b.name, b.force)
      for _, row in ipairs(b.rows) do said[i] = said[i] .. (" %s %g"):format(row[1], row[2]) end
    end
    return table.concat(said, "; ")
  end
  local cart = [[
m:gravity(0, -10)
local x = m:coordinate("x", { unit = "m" })
local y = m:coordinate("y", { unit = "m" })
local phi = m:coordinate("phi", { unit = "rad", initial = 1 })
m:body("cart", { mass = 2, at = { x, y } })
m:body("bob", { mass = 1, at = { x + carom.sin(phi), y - carom.cos(phi) } })
]]
  T.eq(of(cart .. 'm:contact("slope", { gap = 0.6 * x + 0.8 * y + 1, slide = 0.8 * x - 0.6 * y, friction = 0.1 })'),
    "x 0 slope.impulse 0.6 slope.friction 0.8; y -30 slope.impulse 0.8 slope.friction -0.6")
  T.eq(of(cart .. 'm:contact("stop", { gap = 1 - phi })'), "x 0; y -30", "between the two it gives the whole nothing")
  T.eq(of(cart .. 'm:contact("round", { gap = carom.sqrt(x^2 + y^2 + 1) })'), "", "a direction that turns")
  T.eq(of(cart .. "m:spring { length = carom.abs(x) + 1, stiffness = 1 }"), "", "a spring could hold it")
  T.eq(of 'local a = m:coordinate("a", { unit = "rad" })\nm:body("bob", { mass = 1, at = { carom.sin(a), carom.cos(a) } })', "",
    "a pivot holds it")
end)

T.test("a model of very many columns makes a page of the size of others", function()
  local page = run "bead_column --set N=250 --step 1e-4 --until 2e-3"
  local given = data(page)
  T.ok(#given.columns < 600 and #given.columns > 250, "columns: " .. #given.columns)
  T.ok(#page < 6e5, "bytes: " .. #page)
  T.ok(page:find "of 1252 columns" and given.partial, "it says so")
end)

T.test("of very many contacts those that pressed are shown", function()
  local path, names = S.folder .. "/many.lua", {}
  assert(fs.write(path, [[
local m = require("carom").model "many"
for i = 1, 130 do
  local q = m:coordinate("q" .. i, { initial = i == 100 and 0 or 9 })
  m:kinetic_energy(q.dot^2 / 2) m:force(q, -10) m:contact("c" .. i, { gap = q })
end
m:run { until_time = 0.01, step = 1e-3 }
return m]]))
  for _, c in ipairs(data(run(path .. " --form looped")).columns) do names[c.name] = true end
  T.ok(names["c100.impulse"] and names["c100.gap"] and names["c100.status"] and not names["c99.gap"], "the one that holds its load")
end)

T.test("the same run gives the same page, and carom view makes it again", function()
  local page, dir = run "bouncing_ball --step 1e-2 --until 1 --set restitution=0.5 --scheme D-:M=2"
  T.eq(table.concat({ data(page).promises[1][2], data(page).promises[2][2], data(page).promises[3][2] }, " "), "4 4 1")
  local out, err, code = carom("view --no-open " .. dir)
  T.eq(code, 0, out .. err)
  T.eq(out, dir .. "/report.html\n")
  T.eq(fs.read(dir .. "/report.html"), page)
end)

T.test("constants of the run are known to carom view", function()
  local page, dir = run "cradle --set N=5 --step 1e-3 --until 0.05"
  T.eq(select(3, carom("view --no-open " .. dir)), 0)
  T.eq(fs.read(dir .. "/report.html"), page)
  T.eq(#data(page).scene.items, 5)
end)

if S.has "setsid" then
  T.test("--watch runs again when the model changes, and leaves a stamp for the page", function()
    local dir, path, text = large.out(), S.folder .. "/watched.lua", fs.read "models/bouncing_ball.lua"
    assert(fs.write(path, text))
    local words = ("run %s --watch -q --step 1e-2 --until 1 --out %s"):format(path, dir)
    local pipe = assert(io.popen(("setsid sh -c 'echo $$; exec ./carom %s'"):format(words)))
    local group = assert(math.tointeger(pipe:read "n"))
    local function stamp(other)
      for _ = 1, 600 do
        local now = fs.read(dir .. "/stamp.js")
        if now and now ~= other then return now end
        fs.run "sleep 0.05"
      end
    end
    local first = stamp()
    T.ok(first and first:find "^carom.stamp", "a first run")
    fs.run "sleep 0.5" -- until it waits
    assert(fs.write(path, (text:gsub('"restitution", 0.9', '"restitution", 0.5'))))
    local second = stamp(first)
    S.command("kill -s TERM -- -" .. group) -- Ctrl-C may be ignored where tests are run in the background
    pipe:close()
    T.ok(second, "another run")
    T.ok(fs.read(dir .. "/report.html"):find('"watched":true', 1, true), "the page looks for the stamp")
  end)
end

T.test("no report where none is wanted, and none that is half", function()
  local dir = large.out()
  T.eq(select(3, carom("run bouncing_ball --step 1e-2 --until 1 --no-report --out " .. dir)), 0)
  T.ok(not fs.exists(dir .. "/report.html") and not fs.exists(dir .. "/run.json"), "none")
  local out, err, code = carom("view " .. dir)
  T.eq(code, 3, out)
  T.ok(err:find "holds no run", err)
  out, err, code = carom "view"
  T.eq(code, 2, out)
  T.ok(err:find "needs a RESULT", err)
end)

T.test("a run that fails has a report that says so", function()
  local dir = large.out()
  local model = S.folder .. "/blow.lua"
  assert(fs.write(model, [[
local m = require("carom").model "blow"
local x = m:coordinate("x", { initial = 1 })
m:kinetic_energy(x.dot^2 / 2)
m:force(x, x^3 * 1e3)
m:run { until_time = 1, step = 1e-3, scheme = "D-:M=1" }
return m
]]))
  T.eq(select(3, carom(("run %s --out %s"):format(model, dir))), 1)
  T.ok(fs.read(dir .. "/report.html"):find('id="status" class="bad"', 1, true), "bad")
end)

T.test("the equations are on the page: mass times acceleration, forces, gaps", function()
  local page = run "bouncing_ball --step 1e-2 --until 0.1"
  local folded = page:match "<details>.-</details>"
  T.ok(folded, "folded")
  local text = folded:gsub("<[^>]*>", ""):gsub("&#8290;", " ")
  T.ok(text:find("mass q&#168;=&#8722;mass gravity+rground", 1, true), text)
  T.ok(text:find("gground=q&#8805;0", 1, true), text)
  for tag in folded:gmatch "<(m%a+)" do
    T.eq(select(2, folded:gsub("<" .. tag .. "[ >]", "")) - select(2, folded:gsub("<" .. tag .. " [^>]*/>", "")),
      select(2, folded:gsub("</" .. tag .. ">", "")), tag)
  end
end)

S.finish()
