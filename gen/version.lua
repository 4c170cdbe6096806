-- The version of carom, kept in the file gen/VERSION so that every build tool can read it.
local fs = require "gen.util.fs"

return (assert(fs.read(fs.root .. "/gen/VERSION")):match("%S+"))
