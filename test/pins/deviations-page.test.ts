import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isTestFile, readSources, ROOT } from '../helpers/source.ts';

/** The codes that decoders, profiles and the client give to deviations. */
function codesInSource(): string[] {
  const codes = [...readSources('src/wire', 'src/client')]
    .filter(([path]) => !isTestFile(path))
    .flatMap(([, text]) => [...text.matchAll(/(?:\b(?:tolerate|warn)\(\s*|\bcode: )'([a-z0-9-]+)'/g)])
    .map(([, code = '']) => code);
  return [...new Set(codes)].sort();
}

test('docs/protocol-versions.md lists every code of a deviation, and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/protocol-versions.md'), 'utf8');
  const section = page.split('## Codes of deviations\n')[1]?.split('\n## ')[0] ?? '';
  const cells = [...section.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell);
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([a-z0-9-]+)`/g)].map(([, code = '']) => code));

  expect(listed.toSorted()).toEqual(codesInSource());
  expect(listed.length).toBeGreaterThan(30);
});
