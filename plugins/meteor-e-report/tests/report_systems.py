"""Three systems on four segments with two references each, hostile ones among them."""

REFERENCES = [
    ["at last the vessel leaves", "finally the boat left"],
    ["a lot of people hurry", "many people run fast"],
    ["the ship of the people left in the end", "in the end it left"],
    ["<script>alert(1)</script> & x", "]]> <!-- x"],
    ["y", "in x"],
]
SYSTEMS = {
    "one": ["in the end the big ship left", "many people run", "in the end the ship left", "<script> x", "x"],
    "two": ["at last a vessel left", "", "the people left the ship", "<!-- ]]> \u202ex\u202c", "in"],
    "three": ["boat", "a lot of people hurry", "left left left", "nothing", "in x"],
}
