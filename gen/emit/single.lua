-- C in double precision as C in single precision (--real float): one pass over the tokens of what was emitted and of what goes along.
-- Types, literals, names of <math.h> and <float.h> change; strings, comments and lines that include do not. So there is one text of every
-- algorithm, and no hidden double is left: -Wdouble-promotion -Wfloat-conversion have nothing to say.
--
-- A tolerance is a share of the digits that numbers have: 1e-8 asks for half of the sixteen of a double, and 3e-4 for half of the seven
-- of a float. In files of the runtime, which know no model, every number below 1e-4 is one, and is raised to the power 23/52 (mantissas of
-- both types); what only keeps from zero (1e-290) keeps its place between one and the least number instead.
local S = {}

-- functions of <math.h>; each has a twin whose name ends with f
local FUNCTION = {}
for word in ([[acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p log2
  logb modf scalbn cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint round lround llround trunc fmod
  remainder copysign nextafter fdim fmax fmin fma]]):gmatch "%S+" do
  FUNCTION[word], FUNCTION[word .. "l"] = word .. "f", word .. "f"
end

local WORD = { double = "float", HUGE_VAL = "HUGE_VALF", HUGE_VALL = "HUGE_VALF",
  DBL_EPSILON = "FLT_EPSILON", DBL_MAX = "FLT_MAX", DBL_MIN = "FLT_MIN",
  DBL_DIG = "FLT_DIG", DBL_MANT_DIG = "FLT_MANT_DIG" }

local LARGEST, LEAST, EPSILON = 3.4028234663852886e38, 1.1754943508222875e-38, 2.0 ^ -23
local TOLERANCE, NOTHING = 1e-4, 1e-30
local DIGITS, RANGE = 23 / 52, 126 / 1022

--- The rounding of 1 in single precision.
S.epsilon = EPSILON

--- A tolerance of double precision as one of single precision.
function S.tolerance(x)
  local size = math.abs(x)
  if size == 0 or size >= TOLERANCE then return x end
  return (x < 0 and -1 or 1) * size ^ (size < NOTHING and RANGE or DIGITS)
end

-- A literal; nil: no float is that number.
local function literal(word, tolerances)
  local value = tonumber(word)
  if not value then error("not a number of C: " .. word, 0) end
  if tolerances and value < TOLERANCE and value > 0 then return ("%.2gf"):format(S.tolerance(value)) end
  if value > LARGEST or value > 0 and value < LEAST then return nil end
  return word .. "f"
end

-- The end of a comment or string that begins at a place.
local function quoted(text, at)
  local mark = text:sub(at, at)
  local last = at + 1
  while true do
    local found = text:find("[\\\n" .. mark .. "]", last)
    if not found or text:sub(found, found) ~= "\\" then return found or #text end
    last = found + 2
  end
end

--- The same C with floats. tolerances: numbers below 1e-4 are shares of digits. refuse(literal) is called for a number beyond floats.
function S.text(text, tolerances, refuse)
  local out, at = {}, 1
  local function take(last, as)
    out[#out + 1] = as or text:sub(at, last)
    at = last + 1
  end
  while at <= #text do
    local _, last = text:find("^[^%w_\"'/.#]+", at)
    if last then
      take(last)
    elseif text:find("^/%*", at) then
      take(select(2, text:find("*/", at, true)) or #text)
    elseif text:find("^//", at) then
      take((text:find("\n", at, true) or #text + 1) - 1)
    elseif text:find("^[\"']", at) then
      take(quoted(text, at))
    elseif text:find("^#%s*include", at) then
      take((text:find("\n", at, true) or #text + 1) - 1)
    elseif text:find("^[%a_]", at) then
      local _, stop, word = text:find("^([%w_]+)", at)
      if word == "long" and text:find("^%s+double%f[^%w_]", stop + 1) then -- more digits than a double has: those of a float, too
        _, stop = text:find("^%s+double", stop + 1)
        word = "double"
      end
      take(stop, WORD[word] or FUNCTION[word] and text:find("^%s*%(", stop + 1) and FUNCTION[word] or word)
    elseif text:find("^%.?%d", at) then
      local _, stop = text:find("^[%w_.]+", at)
      while text:find("^[eE]$", stop) or text:find("^[eE][+-]%d", stop) and not text:find("^0[xX]", at) do
        stop = select(2, text:find("^[%w_.]+", stop + 2))
      end
      local word = text:sub(at, stop):gsub("^([%d.]*[.eE][%d.eE+-]*)L$", "%1")
      if word:find "^%d*%.?%d*[eE]?[+-]?%d*$" and word:find "[.eE]" then
        local made = literal(word, tolerances)
        if not made then refuse(word) end
        take(stop, made or word)
      else
        take(stop)
      end
    else
      take(at)
    end
  end
  return table.concat(out)
end

--- The files of a unit in single precision.
function S.files(unit)
  local files = {}
  for i, file in ipairs(unit.files) do
    local text = file.text
    if (file.name:find "%.[ch]$" or file.name:find "%.hpp$") and file.name ~= "example_main.c" then -- which prints, with doubles
      text = S.text(text, not (file.name:find("^" .. unit.name .. "[%w_]*%.[ch]$")), function(word)
        error({ carom = true, file = unit.model.file, message = ("--real float: no float is %s (they end at %.7g and begin at %.7g); "
          .. "choose units in which the model's numbers are smaller, or double"):format(word, LARGEST, LEAST) }, 0)
      end)
    end
    files[i] = { name = file.name, text = text }
  end
  return files
end

return S
