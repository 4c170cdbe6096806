-- Which of the short tests can notice that a file is broken. The first entry whose pattern fits a path counts; its suites are run in
-- order of the time they take, until one fails.
local S = {}

local function words(text)
  local list = {}
  for word in text:gmatch("%S+") do list[#list + 1] = word end
  return list
end

local LANG = "lang units assemble friction_words shapes spatial spatial_mistakes mistakes mesh heightfield models oscillator tree"
local MOTION = "test_vectors rest random20 dense forms coulomb"

S.of = {
  { "^gen/expr/", words("expr symbolic oscillator spatial models random20 test_vectors") },
  { "^gen/lang/sandbox", words("sandbox lang mistakes models") },
  { "^gen/lang/environment", words("sandbox lang mistakes models") },
  { "^gen/lang/load", words("sandbox lang mistakes models") },
  { "^gen/lang/mass", words("mass mistakes models lang tree") },
  { "^gen/lang/tree_mass", words("mass tree models") },
  { "^gen/lang/quadratic", words("mass mistakes models") },
  { "^gen/lang/.*bulk", words("shapes mistakes keys models piles") },
  { "^gen/lang/pile", words("shapes mistakes keys models piles") },
  { "^gen/lang/heightfield", words("heightfield shapes piles") },
  { "^gen/lang/.*mesh", words("mesh mistakes keys fem_small") },
  { "^gen/lang/link", words(LANG .. " trees random20") },
  { "^gen/lang/join", words(LANG .. " trees random20") },
  { "^gen/lang/", words(LANG .. " random20 space") },
  { "^gen/mech/tree", words("tree spatial models trees") },
  { "^gen/mech/", words("symbolic oscillator tree random20 forms space trees") },
  { "^gen/plan/", words("symbolic test_vectors forms random20 coulomb") },
  { "^gen/scheme/capture", words("oscillator runge_kutta catalogue capture capture_contacts") },
  { "^gen/scheme/stability", words("oscillator command_line") },
  { "^gen/scheme/", words("exact tableau runge_kutta oscillator keys " .. MOTION .. " orders") },
  { "^gen/emit/bulk", words("piles") },
  { "^gen/emit/large", words("keys large_run fem_large") },
  { "^gen/emit/elements", words("fem_kernels fem_small large_run") },
  { "^gen/emit/lanes", words("fem_kernels fem_small large_run") },
  { "^gen/emit/tables", words("forms random20 friction warnings") },
  { "^gen/emit/", words("symbolic " .. MOTION .. " space") },
  { "^gen/fem/gmsh", words("mesh fem_small fem_files") },
  { "^gen/fem/", words("mesh fem_kernels fem_small") },
  { "^templates/capture", words("capture_contacts capture") },
  { "^templates/adaptive", words("adaptive random20") },
  { "^templates/toward", words("dense adaptive forms orders") },
  { "^templates/dense", words("dense") },
  { "^templates/elements", words("fem_kernels fem_small large_run") },
  { "^templates/large", words("large_run fem_large") },
  { "^templates/bulk", words("piles") },
  { "^templates/.*paoli", words("test_vectors rest random20 orders forms") },
  { "^templates/.*friction", words("coulomb random20 friction forms") },
  { "^templates/", words(MOTION .. " friction orders cases") },
  { "^runtime/lcp", words("c:lcp c:law c:friction_parts c:friction solve") },
  { "^runtime/kkt", words("c:kkt random20 test_vectors") },
  { "^runtime/friction/file", words("c:friction_parts c:friction solve") },
  { "^runtime/friction/tiny", words("c:law c:friction_parts c:friction random20 coulomb") },
  { "^runtime/friction/", words("c:law c:friction_parts c:friction c:friction_collection solve c:bulk") },
  { "^runtime/bulk/collide", words("c:collide c:bulk") },
  { "^runtime/bulk/", words("c:bulk piles") },
  { "^runtime/driver/", words("c:driver faults") },
  { "^runtime/petsc/candidates", words("c:large_contact c:large") },
  { "^runtime/petsc/", words("c:large_contact c:large fem_place") },
}

-- tests of the generator; all other names are of tests/e2e
local GEN = {}
for _, name in ipairs(words("assemble cli exact expr friction_words heightfield keys lang mass mesh mistakes models oscillator runge_kutta "
  .. "sandbox shapes spatial spatial_mistakes symbolic tableau tree units util")) do GEN[name] = true end

-- what runs models on PETSc needs a compiler that knows its headers
S.petsc = { large_run = true, fem_large = true, fem_place = true }

--- The shell command of a suite.
function S.command(name)
  local c = name:match("^c:(.*)")
  if c then return ("build/test_%s"):format(c) end
  local count = name:match("^random(%d+)$")
  if count then return ("lua5.4 tests/random/run.lua --stop --some 1 --count %s"):format(count) end
  return GEN[name] and ("lua5.4 tests/lua/test_%s.lua"):format(name) or ("lua5.4 tests/e2e/%s.lua"):format(name)
end

function S.for_path(path)
  for _, entry in ipairs(S.of) do if path:find(entry[1]) then return entry[2] end end
  return {}
end

return S
