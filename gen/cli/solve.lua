-- carom solve: solves problem files (frictional contact, linear complementarity) with the solvers of the runtime. The
-- program behind it, runtime/solve.c, is compiled once and kept in the cache like the integrators.

local args = require "gen.util.args"
local build = require "gen.cli.build"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"

local SOURCES = {
  "solve.c", "lcp_enumerate.c", "lcp_howson.c", "lcp_lemke.c", "lcp_newton.c", "lcp_solvers.c",
  "driver/digits.c", "driver/text.c",
  "friction/admm.c", "friction/anderson.c", "friction/apgd.c", "friction/augmented.c", "friction/auto.c", "friction/file.c",
  "friction/friction.c",
  "friction/dense.c", "friction/lemke.c", "friction/local.c", "friction/mixing.c", "friction/newton.c",
  "friction/nsgs.c", "friction/problem.c",
  "friction/prox.c", "friction/residual.c", "friction/sparse.c", "friction/squeeze.c", "friction/tiny.c",
}
local HEADERS = {
  "driver/digits.h", "driver/text.h",
  "friction/anderson.h", "friction/mixing.h", "friction/newton.h", "friction/prox.h", "friction/solver.h", "friction/sparse.h",
  "include/carom/friction.h", "include/carom/law.h", "include/carom/lcp.h",
  "include/carom/lcp_solvers.h", "include/carom/lemke.h", "include/carom/model.h", "include/carom/room.h", "include/carom/status.h",
    "lcp_methods.h",
}

-- The names and what they are, from the tables of the runtime themselves: METHODS(ENTRY) of the two files.
local function solvers_in(file)
  local names, lines = { "auto" }, {}
  local rows = (fs.read(fs.root .. "/runtime/" .. file) or ""):gsub("\\\n%s*", " ")
  for name, text in rows:gmatch('ENTRY%("([%w-]+)",[^"]*"([^"]*)"%)') do
    names[#names + 1] = name
    lines[#lines + 1] = ("  %-10s %s"):format(name, text)
  end
  return names, table.concat(lines, "\n")
end

local FRICTION, FRICTION_TEXT = solvers_in("friction/friction.c")
local LCP, LCP_TEXT = solvers_in("lcp_solvers.c")

local solve = {
  name = "solve",
  solvers = { friction = FRICTION, lcp = LCP },
  usage = "carom solve FILE... [--solver NAME] [--tol T] [--floor V] [--symmetrise] [--json]",
  summary = "solve frictional contact problems and LCPs given as files",
  text = [[
FILE is a text file: dimension d, contacts n, mu, q, W nnz and triplets for a frictional contact problem u = W r + q;
n, M, q for a linear complementarity problem; - is standard input. Prints one row per file: contacts, solver,
iterations, residual (a pure number, see runtime/friction/README.md), seconds (the quickest of several for short ones).
The residual is relative to the velocities in the file, however small, unless --floor gives a velocity below which nothing
matters; where only that made it good, both residuals are printed. A problem that is proved to have no solution is called
so, and the contacts that contradict each other are named.

NAME is auto (the default: a portfolio that lets every method speak before it gives up) or one of the solvers listed below; all
prints a comparison of those that apply.

--json prints one object (an array for several) with solver, iterations, residual, seconds, r and u (z and w for an LCP)
at full precision, so that anyone can check the answer.

Exit codes: 0 everything solved to tolerance (with --solver all: by auto); 1 not solved; 2 wrong usage or a file that
cannot be read; 3 no compiler.

Solvers of frictional contact problems:

]] .. FRICTION_TEXT .. "\n\n" .. [[
Solvers of linear complementarity problems:

]] .. LCP_TEXT,
  options = {
    { "--solver", value = "NAME", text = "the solver (default: auto); all compares those that apply" },
    { "--tol", value = "T", text = "residual to reach (default: 1e-8)" },
    { "--floor", value = "V", text = "velocity below which nothing matters (default: none); told where it decides" },
    { "--symmetrise", text = "use (W + W^T)/2 instead of W as given" },
    { "--json", text = "print the solutions as JSON and nothing else on standard output" },
  },
}

function solve.run(options)
  if not options[1] then args.fail("carom solve needs a FILE: a frictional contact problem or an LCP") end
  if options.tol and args.number(options.tol, "--tol") <= 0 then args.fail("--tol %s is not positive", options.tol) end
  if options.floor and args.number(options.floor, "--floor") < 0 then args.fail("--floor %s is negative", options.floor) end
  local executable, _, clean = build.program("solve", SOURCES, HEADERS)
  local words = { executable }
  for _, file in ipairs(options) do
    -- a name that looks like an option, given after --, stays a name
    words[#words + 1] = file:find("^%-.") and "./" .. file or file
  end
  if options.solver then words[#words + 1] = "--solver=" .. options.solver end
  if options.tol then words[#words + 1] = "--tol=" .. options.tol end
  if options.floor then words[#words + 1] = "--floor=" .. options.floor end
  if options.symmetrise then words[#words + 1] = "--symmetrise" end
  if options.json then words[#words + 1] = "--json" end
  io.stdout:flush()
  local code = fs.run("exec " .. fs.command(words))
  clean()
  if code == 126 or code == 127 then
    errors.environment("%s cannot be executed; set CAROM_CACHE to a folder where programs may run", executable)
  end
  return code
end

return solve
