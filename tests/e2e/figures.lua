-- Figures for papers and films: carom plot, carom movie.
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local figure = require "gen.util.figure"
local fs = require "gen.util.fs"
local large = require "tests.e2e.large"

local carom = large.carom
local dir = large.out()
assert(select(3, carom("run bouncing_ball --step 1e-2 --until 2 -q --out " .. dir)) == 0)

local function plot(words) return carom("plot " .. dir .. " " .. words) end

-- The numbers of a PDF: where objects begin is where its table says so.
local function check_pdf(text)
  T.ok(text:find "^%%PDF%-1%.4\n" and text:find "%%%%EOF\n$", "head and end")
  local at = math.tointeger(text:match "startxref\n(%d+)")
  T.eq(text:sub(at + 1, at + 4), "xref")
  local k = 0
  for place in text:sub(at + 1):gmatch "\n(%d%d%d%d%d%d%d%d%d%d) 00000 n " do
    k = k + 1
    T.eq(text:sub(tonumber(place) + 1, tonumber(place) + 7), ("%d 0 obj"):format(k))
  end
  T.eq(k, 6)
  local length, from = text:match "/Length (%d+) >>\nstream\n()"
  T.eq(text:sub(from + length, from + length + 8), "endstream")
end

T.test("a figure is drawn by the same strokes in SVG and PDF", function()
  local fig = figure.new(100, 50)
  fig:path({ { 0, 0 }, { 10, 20.5 } }, { stroke = "#ff0000", width = 2 })
  fig:text(50, 10, "a (b) & c", { anchor = "middle", bold = true })
  local svg, pdf = fig:svg(), fig:pdf()
  T.ok(svg:find('<path d="M0 0L10 20.5" fill="none" stroke="#ff0000" stroke-width="2"', 1, true), svg)
  T.ok(svg:find("a (b) &amp; c", 1, true), svg)
  T.ok(pdf:find("0 50 m\n10 29.5 l\nS", 1, true), pdf)
  T.ok(pdf:find("(a \\(b\\) & c) Tj", 1, true), pdf)
  check_pdf(pdf)
end)

T.test("carom plot: positions when nothing is asked for, svg and pdf", function()
  local out, err, code = plot ""
  T.eq(code, 0, err)
  T.eq(out, dir .. "/plot.svg\n" .. dir .. "/plot.pdf\n")
  local svg = fs.read(dir .. "/plot.svg")
  T.ok(svg:find ">q</text>" and svg:find ">m</text>" and svg:find "t %[s%]" and svg:find ">bouncing_ball</text>", "names and units")
  check_pdf(fs.read(dir .. "/plot.pdf"))
end)

T.test("carom plot: patterns, one panel for each unit, a phase plot, a part of the time", function()
  local file = S.folder .. "/some.svg"
  T.eq(select(3, plot("'q*' ground.impulse --from 0.5 --to 1 -o " .. file)), 0)
  local svg = fs.read(file)
  for _, name in ipairs { "q", "q.dot", "ground.impulse", "m/s", "N s" } do T.ok(svg:find(">" .. name .. "</text>", 1, true), name) end
  T.eq(select(2, svg:gsub('stroke="#444444"', "")), 3) -- frames
  T.eq(select(3, plot("q.dot --x q -o " .. file)), 0)
  T.ok(fs.read(file):find("q [m]", 1, true), "over q")
end)

T.test("carom plot: what is wrong is said", function()
  for words, said in pairs { ["grund.gap"] = "did you mean 'ground.gap'", ["q --out x.jpg"] = "ends with .svg, .pdf or .png",
    ["q --x nothing"] = "no column 'nothing'", ["q --from 5"] = "fewer than two rows", ["q --width 2"] = "80 to 4000" } do
    local out, err, code = plot(words)
    T.eq(code, 2, words .. out)
    T.ok(err:find(said, 1, true), err)
  end
  local _, err, code = carom("plot " .. S.folder .. "/nowhere")
  T.eq(code, 3)
  T.ok(err:find "holds no run", err)
end)

local chromium = fs.run "command -v chromium >/dev/null 2>&1" == 0
if not chromium or not S.has "ffmpeg" then
  T.skip("carom movie", "Chromium or ffmpeg is not installed")
else
  T.test("carom movie: the pictures of a run, as a film", function()
    local film = S.folder .. "/film.gif"
    local out, err, code = carom(("movie %s --seconds 0.5 --rate 8 --size 200x160 -o %s"):format(dir, film))
    T.eq(code, 0, err)
    T.eq(out, film .. "\n")
    local text = fs.read(film)
    T.eq(text:sub(1, 10), "GIF89a" .. ("<I2I2"):pack(200, 160))
    T.ok(#text > 2000, "something is drawn")
  end)
end

T.test("carom movie: what is wrong is said", function()
  local _, err, code = carom("movie " .. dir .. " --out x.avi")
  T.eq(code, 2)
  T.ok(err:find "ends with .mp4 or .gif", err)
  _, err, code = carom("movie " .. dir .. " --size big")
  T.eq(code, 2)
  T.ok(err:find "write WxH", err)
end)

S.finish()
