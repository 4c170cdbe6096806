-- How much of the speed it closed with a contact opens with.
return { name = "restitution",
  options = {
    { "restitution", "expression", [[Newton's coefficient between 0 (no rebound) and 1 (no loss): the gap opens with
      this fraction of the speed it closed with. A number or an expression of parameters.]], dim = "1", default = "0", most = 1,
      taken = { contact_between = "that of the pair of materials, or 0", material_pair = "0", contacts_among = "0", contact_surface = "0",
        contact_pair = "0" },
      page = { contacts_among = "As for `contact`, of all contacts but those of a `material_pair`." } },
  } }
