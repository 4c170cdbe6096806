-- What the keys of schemes are in single precision (--real float): defaults for numbers of seven digits, and least values that make sense.

-- tg: sixteen roundings of 1 m; tv: what rounding leaves of rates at some m/s; the others: see the catalogue for those of double precision
local DEFAULT = { tol = 2e-6, ctol = 3e-5, tg = 1e-6, tv = 1e-4 }
local ROUNDING = 5e-7 -- four roundings of 1

--- Sets what was not given, and refuses what no float can reach.
return function(spec)
  for _, key in ipairs { "tol", "ctol" } do
    if spec.given[key] and spec[key] < ROUNDING then
      error({ carom = true, message = ("scheme '%s': %s is %g, which single precision does not reach; write %s=%g or more, or --real "
        .. "double"):format(spec.canonical, key, spec[key], key, DEFAULT[key]) }, 0)
    end
  end
  for _, key in ipairs { "tol", "ctol", "tg", "tv" } do
    if spec[key] and not spec.given[key] then spec[key] = DEFAULT[key] end
  end
  return spec
end
