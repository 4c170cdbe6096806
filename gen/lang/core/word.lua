-- How a word of the language is declared, in its file under gen/lang/words: one table with everything about it.
--
--   name, form          how it is written, one form per line           group      its chapter on the reference page
--   summary, gives, notes, example, preamble (what stands before the example where the usual start does not fit): the page
--   arguments, options  lists of { name, type, doc, ... }: dim (a unit: the dimension required), required, default (as text), its value
--                       where there is one to fill in, least; types are those of accept.lua and those that words add to it
--   means(model, state, given, where)    what it does: given is the packed list of what the user wrote, where its file and line
--   terms = { kind = { check(t, env, rotating), text(t) } }     the kinds of terms that it adds to the model: a look at one of them, with
--                       numbers for all symbols at the start (rotating: symbols of rotations), and how `--dump model` prints it
--   check(model, env)   a look at all the rest that it has declared, when the model is whole
--
-- The page, `carom help` and what users write are checked by the same table, so they cannot drift.
local function fold(text) return text and (string.gsub(string.gsub(text, "%s+", " "), "^ ", "")) end

local function specs(list)
  for _, s in ipairs(list or {}) do s.name, s.type, s.doc = s[1], s[2], fold(s[3]) end
  return list
end

--- Adds a term to a model, with the place it was written at.
local function term(model, where, fields)
  fields.file, fields.line = where.file, where.line
  table.insert(model.terms, fields)
end

local function word(_, w)
  w.name, w.form = w[1], w[2]
  w.summary, w.gives, w.notes = fold(w.summary), fold(w.gives), fold(w.notes)
  w.arguments, w.options = specs(w.arguments), specs(w.options)
  return w
end

return setmetatable({
  term = term,
  --- Arguments that many words have.
  name = { "name", "name", "An identifier, used in result columns, in `--set` and in the emitted C. Every "
    .. "name of a model must be different.", required = true },
  unit = { "unit", "unit", "A unit such as `\"kg\"` or `\"m/s^2\"`. Where units are given, dimensions are "
    .. "checked." },
}, { __call = word })
