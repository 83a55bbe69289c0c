// Included by Sphinx's search: if the words name a design, its page comes first; pages of code come last.
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  score: ([page, , anchor, , score]) => {
    const words = new URLSearchParams(location.search).get("q").toLowerCase().split(/\W+/);
    const design = page.match(/^domains\/(\w+)\/index$/);
    if (/\.(py|txt|java)$/.test(page)) return score - 100;
    return design && !anchor && words.includes(design[1]) ? score + 100 : score;
  },
};
