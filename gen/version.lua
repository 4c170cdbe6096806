-- The version of carom, kept in the file VERSION at the root so that every build tool can read it.
local fs = require "gen.util.fs"

return (assert(fs.read(fs.root .. "/VERSION")):match("%S+"))
