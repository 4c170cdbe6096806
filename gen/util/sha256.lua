-- SHA-256 (FIPS 180-4) of a string, in plain Lua 5.4 integers; names what was generated and keys the cache of builds.
-- Words are kept in the low 32 bits of 64-bit integers; the message is read a block at a time by string.unpack.

local unpack_words = string.unpack
local BLOCK = ">I4I4I4I4I4I4I4I4I4I4I4I4I4I4I4I4"

-- The round constants are the first 32 bits of the fractions of the cube roots of the first 64 primes, and the start
-- values the same of the square roots of the first 8: computed here by integer roots, exactly.
local function primes(count)
  local list, n = {}, 2
  while #list < count do
    local prime = true
    for _, p in ipairs(list) do
      if n % p == 0 then prime = false break end
    end
    if prime then list[#list + 1] = n end
    n = n + 1
  end
  return list
end

-- floor(frac(p^(1/k)) * 2^32). The double is good to 50 bits, far more than the 35 that are needed here.
local function fraction_bits(p, k)
  local root = k == 2 and math.sqrt(p) or p ^ (1 / 3)
  return math.floor((root - math.floor(root)) * 4294967296.0)
end

local K, START = {}, {}
for i, p in ipairs(primes(64)) do
  K[i] = fraction_bits(p, 3)
  if i <= 8 then START[i] = fraction_bits(p, 2) end
end

-- Duplicating a word into both halves of 64 bits turns a 32-bit rotation into one shift; what a sum carries above
-- 32 bits is cut once, where the sum is stored.
local function compress(h, w)
  for i = 17, 64 do
    local x, y = w[i - 15], w[i - 2]
    local xx, yy = x | x << 32, y | y << 32
    w[i] = (w[i - 16] + w[i - 7] + (xx >> 7 ~ xx >> 18 ~ x >> 3) + (yy >> 17 ~ yy >> 19 ~ y >> 10)) & 0xffffffff
  end
  local a, b, c, d, e, f, g, hh = h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8]
  for i = 1, 64 do
    local ee, aa = e | e << 32, a | a << 32
    local t1 = hh + (ee >> 6 ~ ee >> 11 ~ ee >> 25) + (g ~ e & (f ~ g)) + K[i] + w[i]
    local t2 = (aa >> 2 ~ aa >> 13 ~ aa >> 22) + (a & b | c & (a | b))
    hh, g, f, e = g, f, e, (d + t1) & 0xffffffff
    d, c, b, a = c, b, a, (t1 + t2) & 0xffffffff
  end
  h[1], h[2], h[3], h[4] = (h[1] + a) & 0xffffffff, (h[2] + b) & 0xffffffff, (h[3] + c) & 0xffffffff,
    (h[4] + d) & 0xffffffff
  h[5], h[6], h[7], h[8] = (h[5] + e) & 0xffffffff, (h[6] + f) & 0xffffffff, (h[7] + g) & 0xffffffff,
    (h[8] + hh) & 0xffffffff
end

local function absorb(h, text, length)
  local w = {}
  for position = 1, length, 64 do
    w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15], w[16] =
      unpack_words(BLOCK, text, position)
    compress(h, w)
  end
end

--- The digest of `text` as 64 hexadecimal digits.
local function sha256(text)
  local h = { table.unpack(START) }
  local whole = #text - #text % 64
  local tail = text:sub(whole + 1) .. "\x80"
  tail = tail .. ("\0"):rep((56 - #tail) % 64) .. string.pack(">I8", #text * 8)
  absorb(h, text, whole)
  absorb(h, tail, #tail)
  return (("%08x"):rep(8)):format(table.unpack(h))
end

return sha256
