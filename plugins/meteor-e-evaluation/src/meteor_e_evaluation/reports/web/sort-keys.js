// Defines the values by which the list of segments can be sorted.

/**
 * A value by which segments can be sorted.
 *
 * @typedef {Object} SortKey
 * @property {string} name - name of the option in the page.
 * @property {string} label - description for the reader.
 * @property {function(number): number} getValue - returns the value of a segment, given its index.
 * @property {boolean} isDescending - whether the largest values come first by default.
 */

/**
 * Return the sort keys for the selected systems and metric. The first key is the default.
 *
 * @param {Report} report
 * @param {number} firstSystem - index of the first system.
 * @param {number} secondSystem - index of the system to compare, or -1 for none.
 * @param {number} metric - index of the metric.
 * @returns {SortKey[]}
 */
function makeSortKeys(report, firstSystem, secondSystem, metric) {
  const metricLabel = makeVisible(report.metrics[metric].label);
  const system = report.systems[firstSystem];
  const letter = getSystemLetter(firstSystem);
  const scores = system.scores[metric];
  const secondScores = secondSystem >= 0 ? report.systems[secondSystem].scores[metric] : null;
  const keys = [];
  const addKey = (name, label, getValue, isDescending = false) => keys.push({ name, label, getValue, isDescending });
  if (secondScores) {
    const getDifference = (segment) => secondScores[segment] - scores[segment];
    const differenceLabel = `difference, ${getSystemLetter(secondSystem)} less ${letter}`;
    addKey("absolute-difference", "size of the difference", (segment) => Math.abs(getDifference(segment)), true);
    addKey("difference", differenceLabel, getDifference, true);
  }
  addKey("number", "number", (segment) => segment);
  addKey("first-score", `${metricLabel} of ${letter}`, (segment) => scores[segment]);
  if (secondScores) {
    addKey("second-score", `${metricLabel} of ${getSystemLetter(secondSystem)}`, (segment) => secondScores[segment]);
  }
  addKey("length", "length of the reference", (segment) => report.lengths[segment]);
  addKey("precision", `precision of ${letter}`, (segment) => system.precision[segment]);
  addKey("recall", `recall of ${letter}`, (segment) => system.recall[segment]);
  addKey("penalty", `fragmentation penalty of ${letter}`, (segment) => system.fragmentationPenalty[segment]);
  report.matchers.forEach((name, matcher) => {
    addKey(`matcher-${matcher}`, `contribution of ${name}`, (segment) => system.contributions[segment][matcher]);
  });
  return keys;
}
