-- carom movie: the animation of a report as a film.

local args = require "gen.util.args"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local view = require "gen.cli.view"

local movie = {
  name = "movie",
  usage = "carom movie RESULT [--seconds S] [--size WxH] [--out FILE]",
  summary = "the animation of a run as mp4 or gif",
  text = [[
RESULT is the output folder of a run (out/MODEL), or the name of a model whose results are in out/. Pictures are taken by Chromium from
report.html, which carom run wrote, and made a film by ffmpeg; without ffmpeg the pictures stay, as frames/movie_0000.jpg and so on.
The film goes to movie.mp4 in the folder, or to --out, whose ending (.mp4, .gif) says what it becomes.]],
  options = {
    { "--seconds", value = "S", text = "how long it is (default: 8)" },
    { "--rate", value = "N", text = "pictures in a second (default: 25, of a gif 12)" },
    { "--size", value = "WxH", text = "in pixels (default: 960x600)" },
    { "--out", short = "-o", value = "FILE", text = "where to" },
  },
}

-- Draws picture after picture and leaves them as lines of text, which --dump-dom prints.
local SCRIPT = [[
<style>body { margin: 0 } header, footer, section:not(#motion), #motion h2, #controls, #lamp { display: none !important }
main { display: block !important; padding: 0 !important; max-width: none !important } #motion {
  border: 0 !important; padding: 0 !important }
#stage { width: %dpx !important; height: %dpx !important; max-height: none !important }</style>
<script>
window.addEventListener("load", () => setTimeout(() => {
  const picture = document.getElementById("picture"), sheet = document.createElement("canvas"), lines = [];
  try {
    sheet.width = %d; sheet.height = %d;
    const g = sheet.getContext("2d"), paper = getComputedStyle(document.documentElement).getPropertyValue("--paper");
    document.getElementById("home").click();
    for (let k = 0; k < %d; k++) {
      carom.go(Data.first + (Data.last - Data.first) * k / %d);
      g.fillStyle = paper;
      g.fillRect(0, 0, sheet.width, sheet.height);
      g.drawImage(picture, 0, 0, sheet.width, sheet.height);
      lines.push("FRAME " + sheet.toDataURL("image/jpeg", 0.92).split(",")[1]);
    }
  } catch (error) { lines.push("WRONG " + error.message); }
  document.body.innerHTML = "";
  const pre = document.createElement("pre");
  pre.textContent = "\n" + lines.join("\n") + "\n";
  document.body.append(pre);
}, 300));
</script>
]]

local function pictures(page, chromium, folder, width, height, count)
  local script = SCRIPT:format(width, height, width, height, count, math.max(1, count - 1))
  local copy = folder .. "/movie.html"
  fs.need(fs.write(copy, (page:gsub("</body>", function() return script .. "</body>" end))))
  local text = fs.capture(("timeout -k 5 %d %s --headless --no-sandbox --disable-gpu --use-angle=swiftshader --enable-unsafe-swiftshader "
    .. "--force-device-scale-factor=1 --user-data-dir=%s --window-size=%d,%d --virtual-time-budget=20000 "
    .. "--dump-dom %s 2>/dev/null </dev/null"):format(
    120 + count, chromium, fs.quote(folder .. "/profile"), width + 40, height + 40, fs.quote("file://" .. copy)))
  local n = 0
  for line in text:gmatch "\nFRAME ([%w+/=]+)" do
    fs.need(fs.write(folder .. "/one.txt", line))
    if fs.run(("base64 -d %s > %s"):format(fs.quote(folder .. "/one.txt"), fs.quote(("%s/movie_%04d.jpg"):format(folder,
      n)))) ~= 0 then break end
    n = n + 1
  end
  if n < count then
    errors.environment("the browser drew %d of %d pictures%s", n, count, text:match "\nWRONG ([^\n]+)" and ": "
      .. text:match "\nWRONG ([^\n]+)" or "")
  end
end

local function number(options, key, default, least, most)
  local x = options[key] and args.number(options[key], "--" .. key) or default
  if x < least or x > most then args.fail("--%s %s: write %g to %g", key, options[key], least, most) end
  return x
end

function movie.run(options)
  if options[2] then args.fail("carom movie takes one RESULT; '%s' is too much", options[2]) end
  local where = view.find(options[1] or args.fail("carom movie needs a RESULT: the output folder of a run, or the name of a model"))
  local out = options.out or where .. "/movie.mp4"
  local kind = out:match "%.(%a%w+)$"
  if kind ~= "mp4" and kind ~= "gif" then args.fail("--out %s: write a name that ends with .mp4 or .gif", out) end
  local width, height = (options.size or "960x600"):match "^(%d+)x(%d+)$"
  width, height = math.tointeger(width), math.tointeger(height)
  if not width or width < 64 or height < 64 or width > 4096 or height > 4096 then args.fail("--size %s: write WxH, 64 to 4096 pixels",
    options.size) end
  width, height = width // 2 * 2, height // 2 * 2 -- as the coding of mp4 wants it
  local rate = number(options, "rate", kind == "gif" and 12 or 25, 1, 60)
  local count = math.floor(number(options, "seconds", 8, 0.1, 600) * rate + 0.5)
  local chromium = view.chromium()
  if not chromium then errors.environment("carom movie needs Chromium to draw the pictures; install it (apt-get install chromium)") end
  local page = fs.read(where .. "/report.html")
  if not page then errors.environment("%s has no report.html; write carom view %s first", where, where) end
  local folder = fs.need(fs.temporary_dir())
  local good, why = pcall(function()
    pictures(page, chromium, folder, width, height, count)
    if fs.run "command -v ffmpeg >/dev/null 2>&1" ~= 0 then
      fs.need(fs.mkdir(where .. "/frames"))
      fs.run(("mv %s/movie_*.jpg %s/frames/"):format(fs.quote(folder), fs.quote(where)))
      errors.environment("ffmpeg is not here (apt-get install ffmpeg); the pictures are %s/frames/movie_0000.jpg to movie_%04d.jpg", where,
        count - 1)
    end
    local coding = kind == "gif" and "-filter_complex 'split[a][b];[a]palettegen[p];[b][p]paletteuse'"
      or "-pix_fmt yuv420p -movflags +faststart"
    local text, code = fs.capture(("ffmpeg -y -v error -framerate %g -i %s/movie_%%04d.jpg %s %s 2>&1 </dev/null"):format(rate,
      fs.quote(folder), coding,
      fs.quote(out)))
    if code ~= 0 then errors.environment("ffmpeg could not make %s: %s", out, text:sub(1, 300)) end
  end)
  fs.remove_tree(folder)
  if not good then error(why, 0) end
  print(out)
  return 0
end

return movie
