-- What can go wrong around a run on PETSc: killed without notice at any moment, no room on the disk.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local large = require "tests.e2e.large"

large.need "faults of runs on PETSc"

local function unfinished(dir)
  local list = {}
  for _, name in ipairs(fs.list(dir)) do
    if name:find "%.part" then list[#list + 1] = name end
  end
  return table.concat(list, " ")
end

-- ---- kill -9 -------------------------------------------------------------------------------------------------------------------

local seed = T.long and os.time() or 11
math.randomseed(seed)

-- Starts a run, kills it and all its ranks some time after its first checkpoint, and goes on until it is through, killed or not. Returns
-- result.csv and how often it was killed.
local function killed(words, after, longest)
  local dir, state, kills = large.out(), nil, 0
  for life = 1, 3 do
    local resume = state and " --resume " .. state or ""
    local command = ("run %s%s --checkpoint-minutes 0.0002 --quiet --out %s -- %s"):format(words, resume, dir, after)
    if life == 3 then
      local _, err, code = large.carom(command)
      T.eq(code, 0, err)
      break
    end
    local before = state and fs.read(state)
    kills = kills + (large.murder(command, function() return (fs.read(dir .. "/checkpoint") or before) ~= before end,
      longest * math.random()) and 1 or 0)
    state = fs.exists(dir .. "/checkpoint") and dir .. "/checkpoint" or nil
    T.ok(not state or #fs.read(state) > 0, "an empty checkpoint under its name")
  end
  T.eq(unfinished(dir), "", "left over")
  return fs.read(dir .. "/result.csv"), kills
end

local function kill_at(moments)
  local kills = 0
  for _, case in ipairs { { 1, "D-:M=1", "--step 2e-5 --until 0.15", "", 0.4 },
    { 2, "moreau-jean:theta=0.5,gamma=0", "--step 2e-4 --until 0.06", "-carom_contact_type tnn", 0.4 } } do
    local words = ("dropped_block --set n=4 --set mu=0.3 --set v_t=2 --set pull=5000 --every 7 --ranks %d --scheme %s %s"):format(
      case[1], case[2], case[3])
    local _, _, dir = large.run(words, case[4])
    local whole = fs.read(dir .. "/result.csv")
    for _ = 1, moments do
      local text, count = killed(words, case[4], case[5])
      T.eq(text, whole, ("%s, seed %d"):format(words, seed))
      kills = kills + count
    end
  end
  T.ok(kills > 0, "nothing was killed")
end
T.test("killed without notice: what goes on gives the bytes of an undisturbed run, also with two ranks", function() kill_at(1) end)
T.long_test("killed without notice at many moments", function() kill_at(10) end)

-- ---- no room -------------------------------------------------------------------------------------------------------------------

-- A library ahead of the C library's: what is opened for writing under a name with $FULL in it is made, and has no room.
local SHIM = [[
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int full(const char *path) { const char *name = getenv("FULL"); return name != NULL && path != NULL && strstr(path, name) != NULL; }
FILE *fopen(const char *path, const char *mode)
{
    FILE *(*real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    if (mode[0] == 'r' || !full(path)) return real(path, mode);
    FILE *made = real(path, mode);
    if (made != NULL) fclose(made);
    return real("/dev/full", mode);
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }
static int opened(const char *name, const char *path, int flags, int mode)
{
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...)) dlsym(RTLD_NEXT, name);
    int file = real(path, flags, mode);
    if (file < 0 || (flags & O_ACCMODE) == O_RDONLY || !full(path)) return file;
    return real("/dev/full", O_RDWR, 0);
}
#define OPEN(name) int name(const char *path, int flags, ...) \
{ va_list l; va_start(l, flags); int mode = flags & O_CREAT ? va_arg(l, int) : 0; va_end(l); return opened(#name, path, flags, mode); }
OPEN(open)
OPEN(open64)
]]

T.test("no room for a result, a picture, their list, a checkpoint: a message, nothing under its name, what was there stays", function()
  local shim = S.place "shim"
  assert(fs.write(shim .. "/full.c", SHIM))
  S.command(("cc -shared -fPIC -o %s/full.so %s/full.c -ldl"):format(shim, shim))
  local words = "dropped_block --set n=3 --path petsc --until 4e-4 --step 1e-4 --frames 2 --out %s%s"
  local _, _, built = large.run("dropped_block --set n=3 --path petsc --until 2e-4 --step 1e-4 --frames 1") -- compiles
  T.ok(fs.exists(built .. "/frames/dropped_block_0001.vtu"))
  for _, case in ipairs { { "result.csv", "result.csv", 3 }, { "_0001.vtu", "frames/dropped_block_0001.vtu", 3 },
    { ".pvd", "frames/dropped_block.pvd", 3 }, { "checkpoint.part", "checkpoint", 3 } } do
    local dir = large.out()
    local _, err, code = large.carom("run " .. words:format(dir, ""), ("FULL=%s LD_PRELOAD=%s/full.so"):format(case[1], shim))
    T.eq(code, case[3], case[1] .. ": " .. err)
    T.ok(err:find("cannot write", 1, true), case[1] .. ": " .. err)
    T.ok(not fs.exists(dir .. "/" .. case[2]), case[2] .. " has its name")
    T.eq(fs.exists(dir .. "/frames") and unfinished(dir .. "/frames") or "", "", "left over")
    T.ok(not fs.exists(dir .. "/checkpoint.part")) -- rows of results are kept for a run that goes on
  end
  -- an earlier checkpoint stays
  local state = fs.read(built .. "/checkpoint")
  local _, err, code = large.carom(("run %s"):format(words:format(built, " --resume " .. built .. "/checkpoint")),
    ("FULL=checkpoint.part LD_PRELOAD=%s/full.so"):format(shim))
  T.eq(code, 3, err)
  T.eq(fs.read(built .. "/checkpoint"), state)
end)

S.finish()
