-- carom bench --table: how the cost of a step, the text and the time of generation grow with the number of elements.

local build = require "gen.cli.build"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"

local B = {}

-- steps from .. to are counted: of beads after the first of them have hit the ground
B.cases = {
  { "links, straight code", "tests/bench/linked_chain.lua", "D-:M=1", counts = { 100, 500 }, step = 1e-4, from = 5, to = 15 },
  { "bars held by constraints", "tests/bench/joined_chain.lua", "D-:M=1", counts = { 10, 100, 1000 }, step = 1e-4, from = 5, to = 15 },
  { "the same, both ends held", "tests/bench/joined_chain.lua", "D-:M=1", set = "closed=1", counts = { 10, 100, 1000 }, step = 1e-4,
    from = 5, to = 15 },
  { "rods on spherical joints", "tests/bench/free_chain.lua", "D-:M=1", counts = { 10, 100, 1000 }, step = 1e-4, from = 5, to = 15 },
  { "beads that fall on each other", "bead_column", "D-:M=1", counts = { 100, 1000 }, step = 5e-4, from = 2000, to = 2200 },
  { "beads that fall on each other", "bead_column", "moreau-jean", counts = { 100, 1000 }, step = 5e-4, from = 2000, to = 2200 },
  { "spheres that lie on each other", "tests/bench/packed_pile.lua", "moreau-jean:theta=1,gamma=1", counts = { 400, 4000 }, step = 5e-4,
    from = 5, to = 10 },
}

local MAIN = [[
#include "grown.h"
#include <stdlib.h>
int main(int count, char **words)
{
    static grown s;
    carom_status status = grown_init(&s, NULL);
    for (int i = count > 1 ? atoi(words[1]) : 0; i > 0 && status == CAROM_OK; --i) {
        status = grown_step(&s, %g);
    }
    return status != CAROM_OK;
}
]]

local function quietly(command)
  local said, code = fs.capture(command .. " 2>&1 </dev/null")
  if code ~= 0 then errors.environment("%s failed:\n%s", command, (said:gsub("%s+$", ""))) end
  return said
end

local function seconds() return tonumber((fs.capture "date +%s%N")) * 1e-9 end

-- instructions of a step, bytes of C, seconds of generation
local function measure(folder, case, n)
  local dir = ("%s/%s"):format(folder, ("%s_%s_%d"):format(case[1], case[3], n):gsub("%W", "_"))
  local words = { fs.root .. "/carom", "--no-install", "gen", case[2]:find "/" and fs.root .. "/" .. case[2] or case[2], "--set", "N=" .. n,
    "--scheme", case[3], "--prefix", "grown", "-q", "-o", dir }
  if case.set then table.move({ "--set", case.set }, 1, 2, #words + 1, words) end
  local start = seconds()
  quietly(fs.command(words))
  local took = seconds() - start
  words[#words + 1] = "--list-outputs"
  local sources = { dir .. "/main.c" }
  for path in quietly(fs.command(words)):gmatch("[^\n]+%.c%f[\n]") do
    if not path:find "example_main%.c$" then sources[#sources + 1] = path end
  end
  fs.write(dir .. "/main.c", MAIN:format(case.step))
  local program = dir .. "/grown"
  quietly(("%s -I%s %s -o %s -lm"):format((build.compiler()), fs.quote(dir), fs.command(sources), fs.quote(program)))
  local function count(steps) -- where the C library copies with one instruction for many bytes, each byte would be counted
    local said = fs.capture(("GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000 "
      .. "valgrind --tool=callgrind --callgrind-out-file=/dev/null %s %d 2>&1 </dev/null"):format(fs.quote(program), steps))
    return tonumber(said:match("Collected%s*:%s*(%d+)")) or errors.environment("valgrind counts nothing:\n%s", said)
  end
  return (count(case.to) - count(case.from)) / (case.to - case.from), #fs.read(dir .. "/grown.c"), took
end

--- The table: each row is an element of a chain or column of so many.
function B.table(folder)
  print "\n| elements | scheme | how many | instructions of a step for each | bytes of C for each | s of generation |"
  print "|---|---|---|---|---|---|"
  for _, case in ipairs(B.cases) do
    for _, n in ipairs(case.counts) do
      local instructions, bytes, took = measure(folder, case, n)
      print(("| %s | `%s` | %d | %.0f | %.0f | %.2f |"):format(case[1], case[3], n, instructions / n, bytes / n, took))
    end
  end
end

return B
