-- Numbers as base64, little-endian: what a browser reads as Float32Array or Float64Array.
local LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local pair = {} -- of each 12 bits, made when first needed
local function pairs_of_letters()
  for k = 0, 4095 do
    local a, b = k >> 6, k & 63
    pair[k] = LETTERS:sub(a + 1, a + 1) .. LETTERS:sub(b + 1, b + 1)
  end
end

local function encode(bytes)
  if not pair[0] then pairs_of_letters() end
  local out, rest = {}, #bytes % 3
  local n = 0
  for i = 1, #bytes - rest, 3 do
    local x = bytes:byte(i) << 16 | bytes:byte(i + 1) << 8 | bytes:byte(i + 2)
    n = n + 1
    out[n] = pair[x >> 12] .. pair[x & 4095]
  end
  if rest == 1 then
    out[n + 1] = pair[bytes:byte(-1) << 4] .. "=="
  elseif rest == 2 then
    local x = bytes:byte(-2) << 10 | bytes:byte(-1) << 2
    out[n + 1] = pair[x >> 6] .. LETTERS:sub((x & 63) + 1, (x & 63) + 1) .. "="
  end
  return table.concat(out)
end

-- format: "<f" or "<d"
local function numbers(list, format)
  local parts = {}
  local most = format == "<f" and 3.4028234e38 or math.huge
  for i, x in ipairs(list) do
    if x > most or x < -most then x = x > 0 and math.huge or -math.huge end
    parts[i] = format:pack(x)
  end
  return encode(table.concat(parts))
end

return { encode = encode, numbers = numbers }
