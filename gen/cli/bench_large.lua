-- The part of carom bench about large models: what contact costs in a step of an elastic block of some ten thousand to a million
-- unknowns, as ratio to the contact-free solve of the same step with the same Krylov method, in one process.

local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local large = require "gen.cli.large"

local B = {}

B.options = {
  { "--large", text = "measure contact in large finite-element models (needs PETSc), and nothing else" },
  { "--dof", value = "N", text = "with --large: also the largest of 5e5 and 1e6 unknowns that is not above N (minutes)" },
}

local EDGES = { { 12288, 16 }, { 98304, 32 }, { 499125, 55 }, { 985527, 69 } } -- unknowns of a cube with so many nodes per edge
local STEPS = 12

local function build(folder)
  local compiler, cflags, libraries = large.toolchain()
  local sources = { fs.root .. "/tests/bench/bench_large.c", fs.root .. "/tests/elastic_block.c", fs.root .. "/runtime/lcp.c" }
  for _, name in ipairs { "candidates", "cg", "columns", "contact", "lumped", "mprgp", "nsgs", "sweep", "tnn" } do
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

local function target(mu, cfl) return mu == 0 and 1.15 or cfl == 100 and 4 or 1.8 end

local PATTERN = "failed (%d+) outer (%S+) %(%d+%) products (%S+) %(%d+%) free (%S+) seconds (%S+) free (%S+) ratio (%S+) (%S+) MB (%d+)"

local function measure(results, program, mesh, edge, cfl, mu)
  local command = ("OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 %s %s %d %g %g %d 2>&1"):format(fs.quote(program), mesh, edge, cfl, mu, STEPS)
  local said, code = fs.capture(command)
  local failed, outer, products, free, seconds, free_seconds, _, ratio, memory = said:match(PATTERN)
  if code ~= 0 or not ratio then errors.environment("%s failed:\n%s", command, said) end
  results:add(("contact of %s %d dof, CFL %g, mu %g"):format(mesh, 3 * edge ^ 3 // 1, cfl, mu), tonumber(ratio), "ratio", target(mu, cfl),
    ("%s products in %s faces, free %s; %s s, free %s s; %s MB; %s failed"):format(products, outer, free, seconds, free_seconds,
      memory, failed))
end

--- most: unknowns of the largest mesh, as text
function B.run(results, folder, most)
  local limit = math.max(1e5, tonumber(most or "") or 0)
  local program = build(folder)
  for i, size in ipairs(EDGES) do
    local wanted = i <= 2 or size[1] <= limit and not (EDGES[i + 1] and EDGES[i + 1][1] <= limit)
    for _, mu in ipairs(wanted and { 0, 0.3 } or {}) do
      for _, cfl in ipairs(i <= 2 and { 1, 10, 100 } or { 10 }) do measure(results, program, "hex", size[2], cfl, mu) end
    end
  end
  for _, cfl in ipairs { 1, 10, 100 } do measure(results, program, "tet", 24, cfl, 0.3) end
end

return B
