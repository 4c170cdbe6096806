-- Tests of gen/util: sha256, json, files, options, nearest words.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local args = require "gen.util.args"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local sha256 = require "gen.util.sha256"
local text = require "gen.util.text"

T.test("sha256: the vectors of FIPS 180-4 and the edges of a block", function()
  T.eq(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  T.eq(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  T.eq(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
  T.eq(sha256(("a"):rep(1000000)), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  T.eq(sha256(("a"):rep(55)), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318")
  T.eq(sha256(("a"):rep(56)), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a")
  T.eq(sha256(("a"):rep(64)), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb")
end)

T.test("sha256: at least a megabyte per second", function()
  local start = os.clock()
  sha256(("x"):rep(1000000))
  T.ok(os.clock() - start < 1.0, "took " .. os.clock() - start .. " s")
end)

-- fs.capture and io.popen in a world where sha256sum is a program that fails, or not
local function digests(paths, parts, without)
  local script = ([[package.path = "./?.lua;" .. package.path
local P = require "gen.util.program"
local paths, parts = %s, { ("x"):rep(%d), "y" }
print(table.concat(P.digests(paths), " "), P.fingerprint(parts))]]):format(paths, parts)
  local dir = assert(fs.temporary_dir())
  assert(fs.write(dir .. "/s.lua", script))
  assert(fs.write(dir .. "/bin/sha256sum", "#!/bin/sh\nexit 1\n"))
  fs.run(("chmod +x %s/bin/sha256sum"):format(fs.quote(dir)))
  local said, code = fs.capture(("PATH=%s$PATH %s %s/s.lua 2>&1"):format(without and fs.quote(dir .. "/bin:") or "",
    arg[-1] or "lua5.4", fs.quote(dir)))
  fs.remove_tree(dir)
  T.eq(code, 0, said)
  return said
end
T.test("digests of files and long texts: the same with sha256sum and without", function()
  for _, length in ipairs { 100, 50000 } do
    local said = digests('{ "carom", "gen/VERSION" }', length)
    T.eq(said, ("%s %s\t%s\n"):format(sha256(fs.read "carom"), sha256(fs.read "gen/VERSION"),
      sha256(("%d:%s\n1:y"):format(length, ("x"):rep(length)))))
    T.eq(digests('{ "carom", "gen/VERSION" }', length, true), said)
  end
  local list, why = require("gen.util.program").digests { "carom", "not/there" }
  T.ok(not list and why:find("not/there", 1, true), why)
end)

T.test("json: written in the given order, numbers at full precision", function()
  T.eq(json.write(json.object { { "b", 1 }, { "a", 0.1 }, { "none", nil }, { "list", { 1.0, 2.5, true, json.null } } }),
    '{"b":1,"a":0.1,"list":[1.0,2.5,true,null]}')
  T.eq(json.write(1 / 3), "0.33333333333333331")
  T.eq(json.write { 0 / 0, math.huge, -math.huge, 1e300, -0.0 }, "[null,null,null,1e+300,-0.0]")
  T.eq(json.write 'a"b\\c\n\1', [["a\"b\\c\n\u0001"]])
end)

T.test("json: read", function()
  local value = json.read ' {"a" : [1, -2.5e-3, true, false, null, "x\\u00e9\\ud83d\\ude00\\n"], "b":{} , "c":[]} '
  T.eq(value.a[1], 1)
  T.eq(value.a[2], -0.0025)
  T.eq(value.a[3], true)
  T.eq(value.a[4], false)
  T.eq(value.a[5], json.null)
  T.eq(value.a[6], "xé😀\n")
  T.eq(next(value.b), nil)
  T.eq(#value.c, 0)
  for _, wrong in ipairs { "", "{", "[1,]", '{"a" 1}', "[1] 2", '"abc', "nul", "{1:2}", '"\\x"' } do
    local result, why = json.read(wrong)
    T.eq(result, nil, wrong)
    T.ok(why:find("json:", 1, true), wrong)
  end
end)

local options = {
  { "--step", value = "H", text = "" }, { "--out", short = "-o", value = "DIR", text = "" },
  { "--set", value = "N=V", many = true, text = "" }, { "--list-outputs", text = "" },
}

T.test("args: any order, both spellings, repeated options, the end of options", function()
  local parsed = args.parse({ "a", "--step=1=2", "-o", "d", "--set", "x=1", "b", "--set=y=2", "--list-outputs", "-",
    "--", "--step" }, options)
  T.eq(table.concat(parsed, " "), "a b - --step")
  T.eq(parsed.step, "1=2")
  T.eq(parsed.out, "d")
  T.eq(table.concat(parsed.set, " "), "x=1 y=2")
  T.eq(parsed.list_outputs, true)
  T.eq(args.parse({ "--step", "-1" }, options).step, "-1")
end)

T.test("args: what is wrong is said", function()
  T.fails(function() args.parse({ "--stpe", "1" }, options) end, "unknown option %-%-stpe; did you mean '%-%-step'")
  T.fails(function() args.parse({ "-x" }, options) end, "unknown option %-x")
  T.fails(function() args.parse({ "--step" }, options) end, "%-%-step needs a value: %-%-step H")
  T.fails(function() args.parse({ "--list-outputs=1" }, options) end, "takes no value")
  for _, wrong in ipairs { "", "1x", "nan", "inf", "1e999", "0x10", "one" } do
    T.fails(function() args.number(wrong, "--step") end, "is not a finite number")
  end
  T.eq(args.number("-1.5e-3", "x"), -0.0015)
  T.eq(args.number(".5", "x"), 0.5)
  T.fails(function() args.assignments { "x" } end, "write %-%-set name=value")
  T.fails(function() args.assignments { "x=y" } end, "%-%-set x: 'y' is not a finite number")
  local list = args.assignments { "theta3.dot=-0.01", "N=10" }
  T.eq(list[1].name, "theta3.dot")
  T.eq(list[1].value, -0.01)
  T.eq(math.type(list[2].value), "integer")
end)

T.test("text: the nearest word", function()
  T.eq(text.nearest("shceme", { "--step", "scheme", "set" }), "scheme")
  T.eq(text.nearest("grav", { "mass", "gravity" }), "gravity")
  T.eq(text.nearest("zzzzzz", { "mass", "gravity" }), nil)
  T.eq(text.hint("x", {}), "")
  T.eq(text.fill("a bb ccc dddd", "  ", 8), "  a bb\n  ccc\n  dddd")
end)

local function with_folder(body)
  local folder = assert(fs.temporary_dir())
  local good, why = pcall(body, folder)
  fs.remove_tree(folder)
  if not good then error(why, 0) end
end

T.test("fs: quoting survives the shell", function()
  for _, word in ipairs { "plain", "with space", "it's", "$HOME `x` \"q\" \\ * ;", "", "-n", "a\nb" } do
    T.eq(fs.capture("printf %s " .. fs.quote(word)), word)
  end
end)

T.test("fs: write, read, list, folders with spaces", function()
  with_folder(function(folder)
    T.eq(fs.write(folder .. "/a b/c/f.txt", "text"), 1)
    T.eq(fs.read(folder .. "/a b/c/f.txt"), "text")
    T.ok(fs.is_dir(folder .. "/a b"))
    T.ok(not fs.is_dir(folder .. "/a b/c/f.txt"))
    T.ok(not fs.exists(folder .. "/no"))
    T.eq(fs.read(folder .. "/no"), nil)
    T.eq(fs.read(folder), nil)
    T.eq(fs.write(folder .. "/z", ""), 1)
    T.eq(table.concat(fs.list(folder), "|"), "a b|z")
    T.eq(#fs.list(folder .. "/no"), 0)
  end)
end)

T.test("fs: unchanged files keep their time stamps", function()
  with_folder(function(folder)
    fs.write(folder .. "/f", "1")
    fs.run("touch -d 2001-01-01 " .. fs.quote(folder .. "/f"))
    local function stamp() return (fs.capture("stat -c %Y " .. fs.quote(folder .. "/f"))) end
    local before = stamp()
    T.eq(fs.write(folder .. "/f", "1"), 0)
    T.eq(stamp(), before)
    T.eq(fs.write(folder .. "/f", "2"), 1)
    T.ok(stamp() ~= before)
  end)
end)

T.test("fs: devices are written to, never replaced", function()
  with_folder(function(folder)
    fs.run("ln -s /dev/null " .. fs.quote(folder .. "/nothing"))
    T.eq(fs.write(folder .. "/nothing", "text"), 0)
    T.eq(fs.run("test -c " .. fs.quote(folder .. "/nothing")), 0)
    T.ok(not fs.write("/dev/full", "text") or fs.run("test -c /dev/full") == 0, "a full device")
  end)
end)

T.test("fs: several files are written all or none", function()
  with_folder(function(folder)
    fs.write(folder .. "/old", "before")
    fs.mkdir(folder .. "/taken")
    local done, why = fs.write_all(folder, { { name = "old", text = "after" }, { name = "new", text = "x" },
      { name = "taken", text = "x" } })
    T.eq(done, nil)
    T.ok(why:find("taken", 1, true), why)
    T.eq(fs.read(folder .. "/old"), "before")
    T.eq(table.concat(fs.list(folder), " "), "old taken")
    done = fs.write_all(folder, { { name = "new", text = "x" }, { name = "old/below", text = "x" } })
    T.eq(done, nil)
    T.eq(table.concat(fs.list(folder), " "), "old taken")
  end)
end)

T.test("fs: exit codes", function()
  T.eq(fs.run("exit 3"), 3)
  T.eq(fs.run("kill -TERM $$"), 143)
  T.eq(select(2, fs.capture("echo x; exit 4")), 4)
end)

T.test("what nobody uses goes from emitted C, also below a table whose numbers stand on the next line", function()
  local statics = require("gen.emit.prune").statics
  local table_text = "static const int rows[2][2]\n    = {{8, 9}, {10, 11}};\n"
  local unused, used = "\nstatic inline void idle(void)\n{\n}\n", "\nint work(void)\n{\n    return %s;\n}\n"
  T.ok(not statics(table_text .. unused .. used:format "rows[0][0]"):find("idle", 1, true))
  T.ok(statics(table_text .. unused .. used:format "rows[0][0]"):find("rows[2][2]", 1, true))
  T.ok(not statics(table_text .. used:format "1"):find("rows", 1, true))
  -- over several lines: what follows is not part of it
  local long = "static const int rows[4]\n    = {8, 9,\n    10, 11};\n\nstatic inline int needed(void)\n{\n    return 1;\n}\n"
  T.ok(statics(long .. used:format "needed()"):find("int needed", 1, true))
end)

T.finish()
