"""Systems and a metric for the report tests."""

import numpy as np

from meteor_e import SegmentMetric

# Three systems on five segments with two references each. Some texts look like markup.
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

# Two systems for the browser tests. Their outputs include identical, reordered, unmatched and empty segments.
PAGE_REFERENCES = [
    "at last the vessel leaves",
    "a lot of people hurry",
    "in the end the ship of the people left the town",
    "one two three four five six seven eight nine ten eleven twelve",
    "x y z",
    "nothing here is alike",
]
PAGE_SYSTEMS = {
    "system one": [
        "in the end the big ship left",
        "many people run",
        "the town the people left in the end",
        "one two three four five six seven eight nine ten eleven twelve",
        "z x y",
        "Zebra",
    ],
    "system two": [
        "at last a vessel left",
        "",
        "in the end the ship left the town",
        "twelve eleven ten nine",
        "x y z",
        "nothing there",
    ],
}


class RemarkMetric(SegmentMetric):
    """A metric that adds a remark to every second segment."""

    name = "saying"
    language = "en"
    signature = "saying|version:1"

    def score_segments(self, hypotheses, references, sources=None):
        return np.zeros(len(hypotheses))

    def details(self, statistics, batch=None):
        return [{"explanation": "nothing is <b>right</b>"} if index % 2 else {} for index in range(len(statistics))]
