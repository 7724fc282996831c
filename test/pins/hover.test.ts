import { expect, test } from 'vitest';
import { missingHoverTexts } from '../../scripts/text/hover.ts';

const MISSING = missingHoverTexts();
const lines = (isExported: boolean): readonly string[] =>
  MISSING.filter((one) => one.isExported === isExported).map(({ path, line, name }) => `${path}:${line} ${name}`);

test('every public declaration and each of its members has a JSDoc comment', () => {
  expect(lines(true), 'node scripts/hover.mjs prints this list').toEqual([]);
});

test('so have the types that public declarations mention', () => {
  expect(lines(false)).toEqual([]);
});
