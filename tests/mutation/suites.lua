-- Which of the short tests can notice that a file is broken: those that are quick, and more of them, which only what survives the
-- quick ones has to face. The first entry whose pattern fits a path counts; suites are run in order of the time they take, until one
-- fails.
local fs = require "gen.util.fs"

local S = {}

local function words(text)
  local list = {}
  for word in text:gmatch("%S+") do list[#list + 1] = word end
  return list
end

local LANG = "lang units assemble friction_words shapes spatial spatial_mistakes mistakes mesh heightfield models oscillator tree"
local MOTION = "test_vectors random10 dense"
local MORE = "rest forms coulomb friction oracle orders"

local function of(pattern, quick, more) return { pattern, quick = words(quick), more = words(more or "") } end

S.of = {
  of("^gen/expr/", "expr symbolic oscillator spatial random10", "models test_vectors forms random40"),
  of("^gen/lang/core/sandbox", "sandbox lang mistakes", "models"),
  of("^gen/lang/core/environment", "sandbox lang mistakes", "models"),
  of("^gen/lang/core/load", "sandbox lang mistakes", "models keys command_line"),
  of("^gen/lang/core/mass", "mistakes models lang tree mass"),
  of("^gen/lang/core/tree_mass", "tree models mass"),
  of("^gen/lang/core/quadratic", "mistakes models mass"),
  of("^gen/lang/words/piles", "shapes mistakes models keys", "piles"),
  of("^gen/lang/words/shapes/heightfield", "heightfield shapes", "piles"),
  of("^gen/lang/words/meshes", "mesh mistakes keys", "fem_small fem_files"),
  of("^gen/lang/words/shapes", LANG, "slots touches"),
  of("^gen/lang/words/bodies", LANG, "space random40"),
  of("^gen/lang/words/links", LANG, "trees random40"),
  of("^gen/lang/words/joints", LANG, "trees random40"),
  of("^gen/lang/", LANG, "random40 space"),
  of("^gen/mech/tree", "tree spatial models", "trees"),
  of("^gen/mech/", "expr symbolic oscillator tree random10", "forms space trees random40"),
  of("^gen/plan/symbolic", "symbolic test_vectors random10", "forms coulomb random40"),
  of("^gen/plan/", "plan", "rest oracle"), -- the interpreter runs a broken plan as the C does
  of("^gen/scheme/moreau_jean", "plan", "oracle"),
  of("^gen/scheme/schatzman_paoli", "plan", "oracle"),
  of("^gen/scheme/galerkin", "plan", "oracle"),
  of("^gen/scheme/trial", "plan", "oracle"),
  of("^gen/scheme/alpha", "plan"),
  of("^gen/scheme/steps", "plan", "oracle"),
  of("^gen/support", "support keys", "forms piles"),
  of("^gen/scheme/capture", "oscillator runge_kutta capture_contacts", "catalogue capture"),
  of("^gen/scheme/stability", "oscillator", "command_line"),
  of("^gen/scheme/catalogue", "oscillator tableau keys", "catalogue test_vectors study random40"),
  of("^gen/scheme/", "exact tableau runge_kutta oscillator " .. MOTION, "keys catalogue study " .. MORE),
  of("^gen/system/", "spatial tree models assemble " .. MOTION, "forms space"),
  of("^gen/backend/tables", "plan random10", "forms oracle random40"),
  of("^gen/backend/", "plan " .. MOTION, "forms oracle orders"),
  of("^gen/target/slopes", "fit"),
  of("^gen/target/sweep", "sweep"),
  of("^gen/target/", "fmu python package", "host"),
  of("^gen/report/", "report figures"),
  of("^gen/emit/found", "shapes", "piles"),
  of("^gen/emit/large", "mesh", "keys large_run fem_large"),
  of("^gen/emit/elements", "fem_kernels fem_small", "fem_laws large_run fem_large"),
  of("^gen/emit/lanes", "fem_kernels fem_small", "large_run"),
  of("^gen/emit/kernels", "fem_kernels", "large_run fem_large"),
  of("^gen/emit/tables", "random10", "forms friction random40"),
  of("^gen/emit/", "symbolic " .. MOTION, "space trees " .. MORE),
  of("^gen/fem/gmsh", "mesh", "fem_small fem_files"),
  of("^gen/fem/beside", "mesh beside", "large_run"),
  of("^gen/fem/", "mesh fem_kernels fem_small", "fem_laws fem_pairs fem_place fem_files"),
  of("^templates/target/slopes", "fit"),
  of("^templates/target/sweep", "sweep"),
  of("^templates/capture", "capture_contacts", "capture skid"),
  of("^templates/adaptive", "adaptive", "random40"),
  of("^templates/toward", "dense test_vectors adaptive", "forms orders"),
  of("^templates/dense", "dense"),
  of("^templates/elements", "fem_kernels fem_small", "large_run fem_large"),
  of("^templates/cells", "fem_kernels fem_small", "large_run fem_large"),
  of("^runtime/elements", "c:elements fem_small", "fem_laws"),
  of("^templates/large", "fem_kernels", "large_run fem_large fem_files"),
  of("^templates/found", "piles"),
  of("^templates/.*paoli", "test_vectors random10", "rest orders forms random40"),
  of("^templates/.*friction", "random10", "coulomb friction forms"),
  of("^templates/", MOTION, MORE),
  of("/adaptive%.h", "c:adaptive adaptive", "random40"),
  of("/capture%.h", "c:capture capture_contacts", "capture skid"),
  of("/events%.h", "c:capture capture_contacts", "capture skid"),
  of("/handle%.h", "c:capture c:coulomb_space capture_contacts", "capture skid space"),
  of("/coulomb%.h", "c:coulomb c:coulomb_space capture_contacts", "coulomb capture random40"),
  of("/trial%.h", "c:capture capture_contacts", "capture skid"),
  of("/settled%.h", "c:capture capture_contacts", "capture skid"),
  of("/straight%.h", "c:straight " .. MOTION, MORE),
  of("/touch%.h", "c:touch touches " .. MOTION, MORE),
  of("/law%.h", "c:law c:friction_parts random10", "c:friction coulomb laws"),
  of("/lawful%.h", "c:law random10", "laws coulomb cases"),
  of("/rebound%.h", "c:rebound laws", "oracle"),
  of("/bonds%.h", "laws", "oracle"),
  of("/split%.h", "split", "oracle"),
  of("/elements%.h", "c:elements fem_small", "fem_laws"),
  of("/cells%.h", "fem_kernels fem_small", "fem_laws"),
  of("/fm[iu]", "fmu"),
  of("/library%.h", "python", "host"),
  of("/host%.", "host", "package"),
  of("/dense%.h", "c:straight c:coulomb c:capture " .. MOTION, MORE),
  of("/expand%.h", "adaptive dense", "orders"),
  of("/fixed%.h", "random10 fem_small", "forms fem_laws"),
  of("/root%.h", "c:root", "references"),
  of("/stages%.h", "c:stages " .. MOTION, MORE),
  of("/measure%.h", "c:measure"),
  of("/geometry%.h", "shapes c:collide", "touches space"),
  of("/between%.h", "c:collide c:bulk", "touches space"),
  of("/lcp%.h", "c:lcp c:straight c:law " .. MOTION, "rest forms"),
  of("/include/carom/", "c:law c:contact " .. MOTION, "c:capture " .. MORE),
  of("^runtime/contact/pile", "c:pile c:contact", "piles stacks"),
  of("^runtime/contact/", "c:contact c:rebound c:pile random10", "forms friction laws random40"),
  of("^runtime/lcp", "c:lcp c:law", "c:friction_parts c:friction solve random40"),
  of("^runtime/kkt", "c:kkt c:kkt_tables", "random40 test_vectors"),
  of("^runtime/friction/file", "c:friction_parts", "c:friction solve"),
  of("^runtime/friction/tiny", "c:law c:friction_parts random10", "c:friction coulomb random40"),
  of("^runtime/friction/", "c:law c:friction_parts c:friction_collection", "c:friction solve c:pile coulomb"),
  of("^runtime/shapes/", "c:collide c:collide_laws c:bulk", "piles heightfield"),
  of("^runtime/bulk/", "c:bulk", "piles stacks"),
  of("^runtime/driver/deform", "c:driver fem_small", "fem_laws report"),
  of("^runtime/driver/skin", "c:skin c:driver", "report"),
  of("^runtime/driver/", "c:driver", "faults command_line"),
  of("^runtime/mesh/", "mesh", "fuzz fem_small fem_pairs fem_files"),
  of("^runtime/petsc/candidates", "c:large_contact", "c:large fem_large"),
  of("^runtime/petsc/nsgs", "c:large_contact", "ranks fem_large"),
  of("^runtime/petsc/", "c:large_contact", "c:large fem_large fem_place fem_pairs fem_files pictures"),
}

-- what looks into object files, or runs models on PETSc, needs a compiler that is not tcc
S.gcc = { emitted = true, large_run = true, fem_large = true, fem_place = true, fem_pairs = true, fem_files = true, pictures = true,
  fem_laws = true, fmu = true, python = true, host = true, package = true }

--- The shell command of a suite.
function S.command(name)
  local c = name:match("^c:(.*)")
  if c then return ("build/test_%s"):format(c) end
  if name == "ranks" then return "mpiexec -n 2 build/test_large_contact" end
  local count = name:match("^random(%d+)$")
  if count then return ("lua5.4 tests/random/run.lua --stop --some 1 --count %s"):format(count) end
  local of_gen = ("tests/lua/test_%s.lua"):format(name)
  return "lua5.4 " .. (fs.exists(of_gen) and of_gen or ("tests/e2e/%s.lua"):format(name))
end

--- The suites for a file: which is "quick" or "more".
function S.for_path(path, which)
  for _, entry in ipairs(S.of) do if path:find(entry[1]) then return entry[which] end end
  return {}
end

return S
