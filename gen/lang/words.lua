-- Every word of the language, in the order of the reference page; words[NAME] is one of them (core/word.lua says what it holds), and
-- words.terms[KIND] what is known of a kind of term.
local runs = require "gen.lang.words.runs"

local words = { runs.model, terms = {} }

for _, file in ipairs {
  require "gen.lang.words.quantities",
  require "gen.lang.words.bodies.body", require "gen.lang.words.bodies.free_body", require "gen.lang.words.joints",
  require "gen.lang.words.links.link",
  require "gen.lang.words.forces", require "gen.lang.words.contacts",
  require "gen.lang.words.shapes.round", require "gen.lang.words.shapes.heightfield", require "gen.lang.words.shapes.polyhedron",
  require "gen.lang.words.shapes.surface", require "gen.lang.words.shapes.planar",
  require "gen.lang.words.shapes.box", require "gen.lang.words.shapes.polygon", require "gen.lang.words.shapes.plane",
  require "gen.lang.words.shapes.materials", require "gen.lang.words.shapes.between",
  require "gen.lang.words.piles.among",
  require "gen.lang.words.meshes.mesh", require "gen.lang.words.meshes.material", require "gen.lang.words.meshes.loads",
  require "gen.lang.words.meshes.contact", require "gen.lang.words.meshes.mechanism",
  require "gen.lang.words.drawing",
  runs,
} do
  table.move(file.words, 1, #file.words, #words + 1, words)
end

for _, w in ipairs(words) do
  words[w.name] = w
  for kind, entry in pairs(w.terms or {}) do words.terms[kind] = entry end
end

return words
