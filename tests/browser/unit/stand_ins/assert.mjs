// Stands in for node:assert/strict inside a browser, as far as the tests here use it.
function assert(fact, actual, expected) {
  if (!fact) throw new Error(`${show(actual)} is not ${show(expected)}`);
}

const show = (value) => JSON.stringify(value, (_, each) => (each === undefined ? "undefined" : each)) ?? String(value);

export default {
  ok: (fact) => assert(fact, fact, true),
  equal: (actual, expected) => assert(Object.is(actual, expected), actual, expected),
  deepEqual: (actual, expected) => assert(show(actual) === show(expected), actual, expected),
};
