import { expect, test } from 'vitest';
import { JsonShapeError, MAX_NESTING, MAX_STRUCTURE, parseUntrustedJson } from './untrusted-json.ts';

/** Longer than texts that are parsed without checking their structure. */
const PADDING = ' '.repeat(2 ** 14);

function lists(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

test('a long text with the deepest nesting allowed is parsed, and one level more is rejected', () => {
  expect(parseUntrustedJson(PADDING + lists(MAX_NESTING))).toEqual(JSON.parse(lists(MAX_NESTING)));
  expect(() => parseUntrustedJson(PADDING + lists(MAX_NESTING + 1))).toThrow(
    new JsonShapeError(`nests deeper than ${MAX_NESTING} levels`),
  );
  expect(() => parseUntrustedJson(PADDING + '{"a":'.repeat(MAX_NESTING + 1))).toThrow(JsonShapeError);
});

test('sibling lists do not count as nesting', () => {
  const text = `[${Array.from({ length: 1000 }, () => lists(70)).join()}]`;
  expect(parseUntrustedJson(text)).toHaveLength(1000);
});

test('a text with as many opening brackets, commas and colons as allowed is parsed, and one more is rejected', () => {
  // One bracket, and one comma fewer than values.
  const list = (structure: number): string => `[${'1,'.repeat(structure - 1)}1]`;
  expect(parseUntrustedJson(list(MAX_STRUCTURE))).toHaveLength(MAX_STRUCTURE);
  expect(() => parseUntrustedJson(list(MAX_STRUCTURE + 1))).toThrow(
    new JsonShapeError(`has more than ${MAX_STRUCTURE} opening brackets, commas and colons outside of strings`),
  );
  expect(parseUntrustedJson(list(MAX_STRUCTURE + 1), Infinity)).toHaveLength(MAX_STRUCTURE + 1);
});

test.each([
  ['a backslash before a quote', String.raw`\"`],
  ['two backslashes and the end of the string', String.raw`\\`],
  ['three backslashes before a quote', String.raw`\\\"`],
  ['a backslash as \\u005c', String.raw`\u005c`],
])('brackets inside of a string do not count: %s', (_what, escape) => {
  for (const before of ['', 'x', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(33), 'x'.repeat(1000)]) {
    const string = `"${before}${escape}${'['.repeat(1000)}${escape}${before}"`;
    const text = `${PADDING}[${string},{"${escape}${before}":${string}},[[1]]]`;
    expect(parseUntrustedJson(text)).toEqual(JSON.parse(text));
    expect(() => parseUntrustedJson(`${PADDING}[${string},${lists(MAX_NESTING)}]`)).toThrow(JsonShapeError);
  }
});

test.each([
  ['a string without an end', `"${'x'.repeat(100)}`],
  ['a string that ends with a backslash', '"abc\\'],
  ['closing brackets alone', ']'.repeat(100)],
])('a long text that is not JSON is rejected as such: %s', (_what, text) => {
  expect(() => parseUntrustedJson(PADDING + text)).toThrow(SyntaxError);
});

test('a short text is parsed without checking its structure', () => {
  expect(() => parseUntrustedJson(lists(1000))).not.toThrow();
});
