// Stands in for node:test inside a browser: `run` does the tests that were named and tells what failed.
const tests = [];

export function test(name, body) {
  tests.push({ name, body });
}

export async function run() {
  const failures = [];
  for (const { name, body } of tests) {
    try {
      await body();
    } catch (error) {
      failures.push(`${name}: ${error.stack}`);
    }
  }
  return { count: tests.length, failures };
}
