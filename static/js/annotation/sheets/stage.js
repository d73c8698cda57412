// The form of a work page, and what its stage can do with it: form.js or validation.js says so.
export const form = document.getElementById("answer");

export const stage = {
  entries: () => [...new FormData(form)].filter(([name]) => !/^(csrfmiddlewaretoken|version|action)$/.test(name)),
  fill: null, // put entries back into the form; without it nothing is offered back
  shape: () => 0, // changes when parts come, go or move
  fits: () => true, // whether a part of a reply may be put in its place: (part, same shape, same text)
  targets: () => [], // where words selected in the article can go: [{key, label}]
  one: "pair", // what a target is called
  keyOf: () => "", // the key of the target that a list of forms belongs to
  listOf: null, // (key) the list of forms of a target; null where words cannot prove an answer
  took: () => "", // number the part that the server made of a suggestion; returns what to announce
  addForm: () => false, // add words to one of these: (key, text, quote)
};
