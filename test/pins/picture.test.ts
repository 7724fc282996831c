import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

test('docs/overview.svg is up to date with scripts/picture.mjs (update: node scripts/picture.mjs)', async () => {
  const script = (await import(new URL('scripts/picture.mjs', ROOT).href)) as { drawOverview(): string };
  expect(readFileSync(new URL('docs/overview.svg', ROOT), 'utf8')).toBe(script.drawOverview());
});
