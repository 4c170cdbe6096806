-- Random schemes: every family, every key that decides something.
local S = {}

-- w scales what has a dimension, when the model is written in other units
local function number(x) return ("%.15g"):format(x) end

local function common(r, keys)
  if r:chance(0.2) then keys[#keys + 1] = { "stages", r:pick { "newton", "fixed-point" } } end
  if r:chance(0.1) then keys[#keys + 1] = { "dense", "on" } end
end

local function adaptive(r, keys, velocity)
  keys[#keys + 1] = { "adaptive", "on" }
  local tolerance = r:pick { 1e-3, 1e-4, 1e-5 }
  keys[#keys + 1] = { "rtol", tolerance }
  keys[#keys + 1] = { "atol", tolerance / 10, l = 1 }
  if velocity then keys[#keys + 1] = { "atolv", tolerance / 10, l = 1, t = -1 } end
end

local families = {
  ["moreau-jean"] = function(r, keys)
    keys[#keys + 1] = { "theta", r:pick { 0, 0.5, 0.5, 0.7, 1 } }
    keys[#keys + 1] = { "gamma", r:pick { 0, 0.5, 1 } }
    if r:chance(0.2) then keys[#keys + 1] = { "mass", "end" } end
    if r:chance(0.3) then keys[#keys + 1] = { "projection", r:pick { "on", "off" } } end
    common(r, keys)
    if r:chance(0.1) then adaptive(r, keys, true) end
    keys[#keys + 1] = { "tg", 1e-10, l = 1 }
    keys[#keys + 1] = { "tv", 1e-8, l = 1, t = -1 }
  end,
  ["schatzman-paoli"] = function(r, keys)
    keys[#keys + 1] = { "theta", r:pick { 0, 0.5, 1 } }
    common(r, keys)
    keys[#keys + 1] = { "tg", 1e-10, l = 1 }
  end,
  dg = function(r, keys)
    keys[#keys + 1] = { "M", r:pick { 0, 1, 1, 1, 2, 2, 3, 4 } }
    if r:chance(0.3) then keys[#keys + 1] = { "quadrature", "lobatto" } end
    if r:chance(0.1) then keys[#keys + 1] = { "impact", "literal" } end
    if r:chance(0.3) then keys[#keys + 1] = { "projection", r:pick { "on", "off" } } end
    common(r, keys)
    if r:chance(0.1) then adaptive(r, keys, true) end
    keys[#keys + 1] = { "tg", 1e-10, l = 1 }
    keys[#keys + 1] = { "tv", 1e-8, l = 1, t = -1 }
  end,
  capture = function(r, keys)
    if r:chance(0.6) then
      keys[#keys + 1] = { "rk", r:pick { "radau3", "radau5", "lobatto2", "lobatto4", "lobatto6", "heun2", "kutta3", "rk4", "dopri5" } }
    else
      keys[#keys + 1] = { "dg", r:pick { "D-", "D+" } }
      keys[#keys + 1] = { "M", r:integer(1, 3) }
    end
    keys[#keys + 1] = { "length", 1, l = 1 }
    keys[#keys + 1] = { "speed", 1, l = 1, t = -1 }
    keys[#keys + 1] = { "time", 1, t = 1 }
    keys[#keys + 1] = { "force", 10, l = 1, m = 1, t = -2 }
    if r:chance(0.15) then adaptive(r, keys) end
  end,
}

--- Draws a scheme: { family =, keys = }, of a wanted family if given.
function S.draw(r, kind, wanted)
  if kind == "pile" then
    return { family = "moreau-jean", keys = { { "theta", r:pick { 0, 0.5, 0.5, 1, 1 } }, { "gamma", r:pick { 0, 0.5, 1 } },
      { "tol", 1e-13 }, { "ctol", 1e-13 }, { "tg", 1e-10, l = 1 } } }
  end
  local list = { "moreau-jean", "moreau-jean", "D-", "D-", "D+", "schatzman-paoli", "capture" }
  if kind == "mesh" then list[#list] = "moreau-jean" end -- capture is for straight code
  local family = wanted or r:pick(list)
  local keys = {}
  families[families[family] and family or "dg"](r, keys)
  if kind == "mesh" and r:chance(0.4) then keys[#keys + 1] = { "lumped", r:pick { "on", "off" } } end
  return { family = family, keys = keys }
end

--- Its text, in the units of a style.
function S.text(scheme, style)
  local t = {}
  for i, k in ipairs(scheme.keys) do
    local x = k[2]
    if type(x) == "number" and (k.l or k.m or k.t) then
      x = x * ((style.length or 1) ^ (k.l or 0) * (style.mass or 1) ^ (k.m or 0) * (style.time or 1) ^ (k.t or 0))
    end
    t[i] = k[1] .. "=" .. (type(x) == "number" and number(x) or x)
  end
  return scheme.family .. (#t > 0 and ":" .. table.concat(t, ",") or "")
end

function S.value(scheme, key)
  for _, k in ipairs(scheme.keys) do if k[1] == key then return k[2] end end
end

return S
