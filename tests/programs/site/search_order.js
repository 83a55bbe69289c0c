// Included by Sphinx's search: the page of a design comes before its card and reference, and code comes last.
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  score: ([page, , anchor, , score]) =>
    score + (/^domains\/\w+\/index$/.test(page) && !anchor ? 20 : 0) - (/\.(py|txt|java)$/.test(page) ? 100 : 0),
};
