import { expect, test } from 'vitest';
import { missingHoverTexts } from '../../scripts/text/hover.ts';

const MISSING = missingHoverTexts();
const lines = (isExported: boolean): readonly string[] =>
  MISSING.filter((one) => one.isExported === isExported).map(({ path, line, name }) => `${path}:${line} ${name}`);

test('every public declaration and each of its members has a JSDoc comment', () => {
  expect(lines(true), 'node scripts/hover.mjs prints this list').toEqual([]);
});

test('every type in a public declaration has a JSDoc comment', () => {
  expect(lines(false)).toEqual([]);
});
