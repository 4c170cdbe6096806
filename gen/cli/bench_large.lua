-- The part of carom bench about large models: what contact costs in a step of an elastic block of some ten thousand to a million
-- unknowns, as ratio to the contact-free solve of the same step with the same Krylov method, in one process; then whole runs of
-- dropped_block: explicit steps beside the memory bandwidth, two ranks against one, cost per unknown, memory; and the bar.

local bar = require "gen.cli.bench_bar"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local large = require "gen.cli.large"

local B = {}

B.options = {
  { "--large", text = "measure contact in large finite-element models (needs PETSc), and nothing else" },
  { "--dof", value = "N", text = "with --large: also the largest of 5e5 and 1e6 unknowns that is not above N (minutes)" },
}

local EDGES = { { 12288, 16 }, { 98304, 32 }, { 499125, 55 }, { 985527, 69 } } -- unknowns of a cube with so many nodes per edge
local STEPS, FEWER = 12, 8 -- with contact; the second where a step takes seconds

local function build(folder)
  local compiler, cflags, libraries = large.toolchain()
  local sources = { fs.root .. "/tests/bench/bench_large.c", fs.root .. "/tests/elastic_block.c", fs.root .. "/runtime/lcp.c",
    fs.root .. "/runtime/lcp_lemke.c" }
  for _, name in ipairs { "candidates", "cg", "columns", "contact", "lumped", "mprgp", "nsgs", "parcels",
    "sweep", "tied", "ties", "tnn" } do
    sources[#sources + 1] = fs.root .. "/runtime/petsc/" .. name .. ".c"
  end
  for _, name in ipairs(fs.list(fs.root .. "/runtime/friction")) do
    if name:find("%.c$") then sources[#sources + 1] = fs.root .. "/runtime/friction/" .. name end
  end
  local program = folder .. "/bench_large"
  local command = ("%s %s -I%s %s -o %s %s -lm 2>&1"):format(compiler, table.concat(cflags, " "), fs.quote(fs.root .. "/runtime/include"),
    fs.command(sources), fs.quote(program), table.concat(libraries, " "))
  local said, code = fs.capture(command)
  if code ~= 0 then errors.environment("%s failed:\n%s", command, said) end
  return program
end

-- in small meshes without friction what is done beside the products shows; the promise is for large ones
local function target(edge, mu, cfl)
  if mu == 0 then return edge >= 32 and 1.15 or nil end
  return cfl == 100 and 4 or 1.8
end

local PATTERN = "failed (%d+) outer (%S+) %(%d+%) products (%S+) %(%d+%) free (%S+) seconds (%S+) free (%S+) ratio (%S+) (%S+) MB (%d+)"

local function measure(results, program, mesh, edge, cfl, mu)
  local command = ("OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 %s %s %d %g %g %d 2>&1"):format(fs.quote(program), mesh, edge, cfl, mu,
    (edge > 40 or edge > 16 and cfl == 100 and mu > 0) and FEWER or STEPS)
  local said, code = fs.capture(command)
  local failed, outer, products, free, seconds, free_seconds, _, ratio, memory = said:match(PATTERN)
  if code ~= 0 or not ratio then errors.environment("%s failed:\n%s", command, said) end
  results:add(("contact of %s %d dof, CFL %g, mu %g"):format(mesh, 3 * edge ^ 3 // 1, cfl, mu), tonumber(ratio), "ratio",
    target(edge, mu, cfl), ("%s products in %s faces, free %s; %s s, free %s s; %s MB; %s failed"):format(products, outer, free,
      seconds, free_seconds, memory, failed))
end

local function contact(results, folder, limit)
  local program = build(folder)
  for i, size in ipairs(EDGES) do
    local wanted = i <= 2 or size[1] <= limit and not (EDGES[i + 1] and EDGES[i + 1][1] <= limit)
    for _, mu in ipairs(wanted and { 0, 0.3 } or {}) do
      for _, cfl in ipairs(i <= 2 and { 1, 10, 100 } or { 10 }) do measure(results, program, "hex", size[2], cfl, mu) end
    end
  end
  for _, cfl in ipairs { 1, 10, 100 } do measure(results, program, "tet", 24, cfl, 0.3) end
end

-- dropped_block with n cells per edge, so many steps of one length (another would be another matrix); the JSON object of the run
local WAVES = 6020.3 -- m/s
local function drop(folder, n, steps, ranks, ...)
  local step = (... and 0.9 or 10) / (WAVES * n)
  local command = fs.command { fs.root .. "/carom", "--no-install", "run", "dropped_block", "--path", "petsc", "--ranks",
    ("%d"):format(ranks), "--set", "n=" .. n, "--step", ("%.17g"):format(step), "--until", ("%.17g"):format(steps * step), "--every",
    "1000000", "--json", "--out", folder .. "/block", ... }
  local said, code = fs.capture(command .. " 2>/dev/null </dev/null")
  local result = code == 0 and json.read(said)
  if not result then errors.environment("%s failed:\n%s", command, said) end
  return result
end

local EXPLICIT = { "--scheme", "D-:M=1" }
local REPEAT, IMPLICIT_STEPS = 3, 5

-- the same several times, with the shortest times of all
local function best(...)
  local result = drop(...)
  for _ = 2, REPEAT do
    local again = drop(...)
    for _, key in ipairs { "rank_cpu_seconds", "rank_user_seconds", "wall_seconds" } do result[key] = math.min(result[key], again[key]) end
  end
  return result
end

local function triad(folder)
  local program = folder .. "/stream"
  local said, code = fs.capture(("cc -std=c11 -O3 -march=native %s -o %s 2>&1 && %s"):format(fs.quote(fs.root .. "/tests/bench/stream.c"),
    fs.quote(program), fs.quote(program)))
  local rate = tonumber(said:match("triad (%S+)"))
  if code ~= 0 or not rate then errors.environment("the measurement of memory bandwidth failed:\n%s", said) end
  return rate
end

-- Time of the run on one rank over that on two. The clock tells only when nothing else runs. Otherwise processor time of the slower
-- rank, without that of the system: a rank that waits, for instance because the other one is not let run, gives way to the system.
local function speedup(results, what, one, two)
  local quiet = one.wall_seconds < 1.05 * one.rank_cpu_seconds and two.wall_seconds < 1.05 * two.rank_cpu_seconds
  local key = quiet and "wall_seconds" or "rank_user_seconds"
  results:add(("two ranks, %s, %d dof"):format(what, one.unknowns), one[key] / two[key], "ratio", 1.6,
    ("%s; %.3g s on one, %.3g s on two; by the clock %.2f"):format(quiet and "by the clock" or
      "by processor time without waiting, as the machine is busy", one[key], two[key], one.wall_seconds / two.wall_seconds), ">")
end

local function explicit(results, folder)
  local rate = triad(folder)
  results:add("memory bandwidth of one core, STREAM triad", rate, "GB/s")
  for _, n in ipairs { 40, 54 } do
    local one = best(folder, n, 40, 1, table.unpack(EXPLICIT))
    local speed = 1e-6 * one.unknowns * one.steps / one.rank_cpu_seconds
    results:add(("explicit, hex %d dof, unknowns x steps"):format(one.unknowns), speed, "M/s", 30,
      ("one core; at the bandwidth above %.0f bytes per unknown and step"):format(1e3 * rate / speed), ">")
    if n == 54 then speedup(results, "explicit", one, best(folder, n, 40, 2, table.unpack(EXPLICIT))) end
  end
end

-- Seconds per unknown and step, and what they are made of. The same number of steps everywhere: the first are easy.
local function implicit(results, folder, limit)
  local least
  for _, n in ipairs { 15, 32, 54, 68 } do
    if n ~= 54 or limit >= 499125 then
      local one = (n == 68 and drop or best)(folder, n, IMPLICIT_STEPS, 1)
      local cost = one.rank_cpu_seconds / (one.unknowns * one.steps)
      least = least or cost
      results:add(("implicit, %d dof, CFL 10: time per unknown over the first"):format(one.unknowns), cost / least, "ratio", 1.5,
        ("%.3g us, %.1f products per step, %.2f ns per unknown and product"):format(1e6 * cost, one.counts.products / one.steps,
          1e9 * one.rank_cpu_seconds / (one.unknowns * one.counts.products)))
      if n == 32 or n == 54 then speedup(results, "implicit", one, best(folder, n, IMPLICIT_STEPS, 2)) end
      if n == 68 then
        results:add(("memory of the whole run, %d dof, one rank"):format(one.unknowns), 1e-9 * one.memory_bytes, "GB", 1.2)
      end
    end
  end
end

--- most: unknowns of the largest mesh, as text
function B.run(results, folder, most)
  local limit = math.max(1e5, tonumber(most or "") or 0)
  contact(results, folder, limit)
  explicit(results, folder)
  implicit(results, folder, limit)
  bar.run(results, folder, { "small", "petsc" })
end

return B
