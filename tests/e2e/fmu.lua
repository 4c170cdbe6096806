-- Units of FMI 2.0 and 3.0: the archive, its description, and an importer (importer.c) that runs them against carom run, bit for bit.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local zip = require "gen.target.zip"

local CASES = {
  { "bouncing_ball", step = 5e-4, communication = 0.01, until_time = 10, references = { 4000000, 5000000, 7000000 } },
  { "slider_crank", step = 1e-5, communication = 1e-3, until_time = T.many(1, 10), references = { 4000000, 4000001, 4000002, 5000000,
    5000001, 5000002, 7000000, 7000001, 7000002, 7000003 } },
}

local function made(name, version, more)
  local dir = S.place("fmu" .. version)
  S.command(("./carom gen %s --target fmu%d -o %s -q %s"):format(name, version, dir, more or ""))
  return dir .. "/" .. name .. ".fmu", dir
end

T.test("zip: what is stored is read back, the same files give the same bytes", function()
  T.eq(zip.crc "123456789", 0xCBF43926)
  local files = { { name = "a.txt", text = "hello\n" }, { name = "b/c.bin", text = "\0\1\2\255" } }
  local text = zip.store(files)
  T.eq(text, zip.store(files))
  if S.has "unzip" then
    local dir = S.place "zip"
    assert(fs.write(dir .. "/x.zip", text))
    S.command(("cd %s && unzip -tq x.zip && unzip -q x.zip"):format(dir))
    T.eq(fs.read(dir .. "/b/c.bin"), "\0\1\2\255")
  end
end)

if not S.has "unzip" or not S.has "gcc" then
  T.skip("units in an importer", "unzip or gcc is not here")
  S.finish()
end

-- what the standard asks of a description, as far as it is a rule about this text
local function look_at(description, version)
  local seen, references = {}, {}
  local pattern = version == 2 and "<ScalarVariable (.-)>" or "<Float64 (.-)/>"
  local count, outputs = 0, 0
  for attributes in description:gmatch(pattern) do
    local function of(name) return attributes:match("%f[%w]" .. name .. '="([^"]*)"') end
    local name, reference, causality, variability = of "name", of "valueReference", of "causality", of "variability"
    T.ok(name and reference and not seen[name] and not references[reference], attributes)
    seen[name], references[reference] = true, true
    if causality == "parameter" then T.ok(variability == "tunable" and of "initial" == "exact", attributes) end
    if causality == "output" then T.eq(of "initial", "calculated", attributes) end
    if causality == "input" or causality == "independent" then T.eq(of "initial", nil, attributes) end
    count, outputs = count + 1, outputs + (causality == "output" and 1 or 0)
  end
  T.ok(count > 5)
  local units = {}
  for unit in description:gmatch '<Unit name="(.-)"/>' do units[unit] = true end
  for unit in description:gmatch ' unit="(.-)"' do T.ok(units[unit], "unit " .. unit .. " is not defined") end
  T.eq(select(2, description:gsub(version == 2 and "<Unknown " or "<Output ", "")), version == 2 and 2 * outputs or outputs)
end

for version = 2, 3 do
  local importer = S.place "importer" .. "/importer"
  S.command(("gcc -std=c11 -O1 -Wall -Wextra -DFMI=%d %s -o %s -ldl -lm"):format(version,
    fs.quote(S.here .. "/tests/e2e/importer.c"), importer))
  for _, case in ipairs(CASES) do
    local name = case[1]
    T.test(("FMI %d.0: %s for %g s in an importer, kept and restored in the middle, has the bits of carom run"):format(version, name,
      case.until_time), function()
      local file, dir = made(name, version)
      S.command(("cd %s && unzip -q %s.fmu"):format(dir, name))
      local description = fs.read(dir .. "/modelDescription.xml")
      if S.has "xmllint" then
        local ask = ("xmllint --noout --relaxng %s/tests/e2e/fmi%d.rng "):format(fs.quote(S.here), version)
        S.command(ask .. dir .. "/modelDescription.xml")
        if version == 3 then S.command(ask .. dir .. "/sources/buildDescription.xml") end
        for _, wrong in ipairs { { 'causality="output"', 'causality="outputs"' }, { "</?LogCategories>", "" }, { ' name="s"', "" } } do
          assert(fs.write(dir .. "/wrong.xml", (description:gsub(wrong[1], wrong[2]))))
          T.ok(select(2, fs.capture(ask .. dir .. "/wrong.xml 2>&1")) ~= 0, wrong[1] .. " is not told")
        end
      end
      look_at(description, version)
      local token = description:match(version == 2 and 'guid="(%x+)"' or 'instantiationToken="(%x+)"')
      local library = fs.capture(("find %s/binaries -name '%s.*'"):format(dir, name)):match "[^\n]+"
      local lines = {}
      for line in S.command(("%s %s %s %g %g %s"):format(importer, library, token, case.until_time, case.communication,
        table.concat(case.references, " "))):gmatch "[^\n]+" do
        if line:find "^stops" then T.ok(tonumber(line:match "%d+") > 0, line) else lines[#lines + 1] = line end
      end
      local r = json.read(S.command(("./carom run %s --json --no-report --every 1000000 --step %g --until %g --out %s/run"):format(name,
        case.step, case.until_time, dir)))
      local model, expected = S.unit(name).model, {}
      for _, c in ipairs(model.coordinates) do expected[#expected + 1] = ("%.17g"):format(r.q[c.name]) end
      for _, c in ipairs(model.coordinates) do expected[#expected + 1] = ("%.17g"):format(r.v[c.name]) end
      for _, c in ipairs(model.contacts) do expected[#expected + 1] = ("%.17g"):format(r.impulse[c.name]) end
      T.eq(table.concat(lines, " "), table.concat(expected, " "))
      T.eq(fs.read(file), fs.read((made(name, version))), "the same model, the same archive")
    end)
  end
  T.test(("FMI %d.0: the sources compile by one call of a compiler, strictly, and linked with those of another unit"):format(version),
    function()
      local main = {}
      local all = S.place "linked"
      for _, name in ipairs { "bouncing_ball", "zeno_ball" } do
        local _, dir = made(name, version, "--platforms none")
        S.command(("cd %s && unzip -q %s.fmu && test ! -e binaries && cd sources && "
          .. "gcc %s -O1 %s -I. -DCAROM_FMU_STATIC -c *.c && cp *.o %s")
          :format(dir, name, S.base, S.strict, all))
        S.command(("cd %s && mv fmu.o %s_fmu.o"):format(all, name))
        main[#main + 1] = name
      end
      assert(fs.write(all .. "/main.c", ('const char *%s_fmi%dGetVersion(void);\nconst char *%s_fmi%dGetVersion(void);\n'
        .. 'int main(void) { return %s_fmi%dGetVersion()[0] == %s_fmi%dGetVersion()[0] ? 0 : 1; }\n'):format(main[1], version,
        main[2], version,
        main[1], version, main[2], version)))
      S.command(("cd %s && gcc main.c *.o -o main -lm && ./main"):format(all))
    end)
end

T.test("what cannot be is refused", function()
  local function refused(words, pattern)
    local said, code = fs.capture("./carom gen " .. words .. " 2>&1 </dev/null")
    T.eq(code, 2, said)
    T.ok(said:find(pattern), said)
  end
  refused("bouncing_ball --target fmu4", "write c, batch, petsc, lib, python, fmu2, fmu3")
  refused("bouncing_ball --platforms native", "is for %-%-target fmu2")
  refused("bouncing_ball --target fmu2 --platforms vax", "write native")
  refused("sphere_pile --target fmu2", "a pile")
end)

-- independent importers, where they are
if S.has "fmusim" then
  T.test("fmusim runs the units", function()
    for version = 2, 3 do S.command("fmusim " .. (made("bouncing_ball", version))) end
  end)
else
  T.skip("fmusim runs the units", "fmusim is not here")
end

S.finish()
