-- Refuses expressions that join very many texts with `..`: Lua makes them one instruction, which can turn a text of
-- 100 MB into one of 25 GB before the watchman looks again. Twenty operands are plenty for names and messages.
local fail = require "gen.lang.core.fail"

local MOST = 20

-- Where the text, comment or long bracket that starts at `at` ends; nil if none starts there.
local function skip(text, at)
  local level = string.match(text, "^%-%-%[(=*)%[", at) or string.match(text, "^%[(=*)%[", at)
  if level then
    local _, stop = string.find(text, "]" .. level .. "]", at, true)
    return stop or #text
  end
  if string.find(text, "^%-%-", at) then return (string.find(text, "[\n\r]", at) or #text + 1) - 1 end
  local quote = string.match(text, "^[\"']", at)
  if not quote then return nil end
  local i = at + 1
  while i <= #text do
    local c = string.sub(text, i, i)
    if c == quote or c == "\n" or c == "\r" then return i end
    if c ~= "\\" then
      i = i + 1
    else -- \z skips all blanks, also ends of lines; one end of a line may have two characters
      local _, stop = string.find(text, "^z[ \f\n\r\t\v]*", i + 1)
      if not stop then _, stop = string.find(text, "^\r\n", i + 1) end
      if not stop then _, stop = string.find(text, "^\n\r", i + 1) end
      i = (stop or i + 1) + 1
    end
  end
  return #text
end

--- Counts the operators `..` of each expression of a model text, per bracket level.
return function(text, file)
  local counts, depth, at, line = { [0] = 0 }, 0, 1, 1
  while true do
    at = string.find(text, "[-\"'%[%](){},;=.%a]", at)
    if not at then return end
    local c = string.sub(text, at, at)
    local stop = skip(text, at) or at
    if stop > at then -- text or comment
      at = stop
    elseif c == "(" or c == "{" or c == "[" then
      depth = depth + 1
      counts[depth] = 0
    elseif c == ")" or c == "}" or c == "]" then
      depth = math.max(depth - 1, 0)
    elseif c == "." then
      local dots = string.match(text, "^%.+", at)
      at = at + #dots - 1
      if #dots == 2 then
        counts[depth] = counts[depth] + 1
        if counts[depth] >= MOST then
          for _ in string.gmatch(string.sub(text, 1, at), "\n") do line = line + 1 end
          fail({ file = file, line = line }, "more than %d texts are joined in one expression; join fewer at a time",
            MOST)
        end
      end
    elseif c == "," or c == ";" or c == "=" then
      counts[depth] = 0
    elseif string.find(c, "%a") then
      local word = string.match(text, "^[%w_]+", at)
      at = at + #word - 1
      if word == "local" or word == "return" or word == "if" or word == "then" or word == "do" or word == "end"
        or word == "else" or word == "elseif" or word == "while" or word == "until" or word == "function" then
        counts[depth] = 0
      end
    end
    at = at + 1
  end
end
