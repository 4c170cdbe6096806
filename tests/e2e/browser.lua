-- What a browser makes of reports: copies of the pages with a script that uses them, in headless Chromium.
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local large = require "tests.e2e.large"

local chromium = require("gen.cli.view").chromium()
if not chromium then
  T.skip("reports in a browser", "Chromium is not installed")
  S.finish()
end

local function run(words)
  local dir = large.out()
  local out, err, code = large.carom(("run %s -q --out %s"):format(words, dir))
  T.eq(code, 0, out .. err)
  return dir .. "/report.html"
end

local MODELS = { -- words of carom run; the width that is always looked at
  { "bouncing_ball", "--step 1e-2 --until 2" }, { "slider_crank", "--step 1e-4 --until 0.02", 1600 },
  { "billiard", "--step 2e-3 --until 1" }, { "box_tumble", "--step 2e-3 --until 1", 400 }, { "arm7", "--step 1e-3 --until 0.7" },
  { "sphere_pile", "--set N=8 --step 4e-3 --until 0.4", 1600 },
}
if large.here then table.insert(MODELS, { "dropped_block", "--set n=4 --path petsc", 1600 }) end

-- a script that uses the page and writes what it saw
local TRY = [[
<script>
window.addEventListener("load", async () => {
  const seen = {}, wait = ms => new Promise(done => setTimeout(done, ms)), picture = document.getElementById("picture");
  const shot = () => picture.toDataURL();
  try {
    await wait(200);
    carom.go(Data.first);
    const first = shot();
    seen.drawn = first.length;
    const slider = document.getElementById("time");
    slider.value = 0.4;
    slider.dispatchEvent(new Event("input"));
    seen.scrubbed = Math.abs(carom.now - (Data.first + 0.4 * (Data.last - Data.first))) < 1e-9 && shot() !== first;
    const before = carom.now;
    document.getElementById("play").click();
    for (let k = 0; k < 10 && carom.now === before; k++) await wait(100);
    seen.played = carom.now > before;
    document.getElementById("play").click();
    seen.plots = document.querySelectorAll("#plots canvas").length;
    seen.read = [...document.querySelectorAll("#plots .u-value")].slice(1).every(x => /[0-9]/.test(x.textContent));
    carom.go(Data.last);
    const opaque = shot();
    seen.lit = Data.found ? Data.found.at(Data.last).list.filter(x => x.force > 0 && x.at.every(Number.isFinite)).length : 0;
    document.getElementById("through").click();
    seen.through = shot() !== opaque;
    seen.rows = document.querySelectorAll("#events tbody tr").length;
    seen.audits = document.querySelectorAll("#audits tbody tr").length;
    seen.balanced = [...document.querySelectorAll("#audits tbody tr")].filter(r => /^momentum.*balanced/.test(r.textContent)).length;
    const event = document.querySelector("#events tbody tr");
    if (event) { event.click(); seen.jumped = Math.abs(carom.now - carom.events[0].t) < 1e-12; }
    seen.wide = document.documentElement.scrollWidth <= window.innerWidth;
  } catch (error) { seen.error = String(error); }
  document.title = "SEEN " + JSON.stringify(seen);
});
</script>
]]

-- frames by the clock of timers, which the browser lets run as fast as it can
local FRAMES = "<script>window.requestAnimationFrame = f => setTimeout(() => f(performance.now()), 16);</script>"

local function browse(path, width)
  local copy = S.folder .. "/browsed.html"
  local page = fs.read(path):gsub("</body>", function() return TRY .. "</body>" end)
  page = page:gsub("<head>", function() return "<head>" .. FRAMES end, 1)
  assert(fs.write(copy, page))
  local text = fs.capture(("timeout -k 5 60 %s --headless --no-sandbox --disable-gpu --use-angle=swiftshader --enable-unsafe-swiftshader "
    .. "--host-resolver-rules='MAP * ~NOTFOUND' " -- there is no network: what asks for it is an error of the console
    .. "--user-data-dir=%s --window-size=%d,900 --virtual-time-budget=3000 --enable-logging=stderr --dump-dom %s 2>&1 </dev/null"):format(
    chromium, fs.quote(S.folder .. "/profile"), width, fs.quote("file://" .. copy)))
  return text:match "<title>SEEN (.-)</title>", text
end

for _, case in ipairs(MODELS) do
  local name, page = case[1], nil
  for _, width in ipairs { 1600, 400 } do
    local test = width == case[3] and T.test or T.long_test
    test(("%s in a browser %d wide"):format(name, width), function()
      page = page or run(name .. " " .. case[2])
      local said, text = browse(page, width)
      local seen = json.read(said or "") or {}
      T.ok(said, "the page has run: " .. text:sub(1, 400))
      T.ok(not seen.error, tostring(seen.error))
      for line in text:gmatch "[^\n]+" do
        if line:find(":CONSOLE:", 1, true) then
          for _, word in ipairs { "[Ee]rror", "Uncaught", "THREE" } do T.ok(not line:find(word), line:sub(1, 400)) end
        end
      end
      T.ok(seen.drawn > 1000 and seen.scrubbed and seen.played, said)
      T.ok(seen.plots > 0 and seen.read and seen.audits > 0 and seen.wide, said)
      if name == "sphere_pile" then T.ok(seen.lit >= 8 and seen.through, "contacts that were found are lit: " .. said) end
      if name == "box_tumble" then T.eq(seen.balanced, 3, "momentum along x, y and z is what weight and contacts gave") end
      T.ok(name == "dropped_block" or name == "sphere_pile" or seen.rows > 0 and seen.jumped, said)
    end)
  end
end

if large.here then
  T.long_test("the report of a mesh of many nodes, and of those of a model as it comes, is less than a megabyte", function()
    for _, words in ipairs { "dropped_block", "dropped_block --set n=24 --until 1e-3" } do
      local page = fs.read(run(words))
      T.ok(#page < 1e6, words .. ": " .. #page)
    end
  end)
end

T.long_test("the report of a million steps is small and opens within two seconds", function()
  local page, copy = fs.read(run "bouncing_ball --step 1e-5 --until 10"), S.folder .. "/opened.html"
  T.ok(#page < 3e6, "bytes: " .. #page)
  assert(fs.write(copy, page .. '<script>addEventListener("load", () => console.log("OPENED " + performance.now()))</script>'))
  local opened = fs.capture(("timeout 60 %s --headless --no-sandbox --disable-gpu --user-data-dir=%s --enable-logging=stderr --dump-dom "
    .. "%s 2>&1 </dev/null"):format(chromium, fs.quote(S.folder .. "/profile"), fs.quote("file://" .. copy))):match "OPENED ([%d.]+)"
  T.ok(opened and tonumber(opened) < 2000, "milliseconds: " .. tostring(opened))
end)

S.finish()
