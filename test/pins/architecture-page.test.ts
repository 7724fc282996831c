import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../helpers/source.ts';

const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const FILES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).map((path) =>
  path.replaceAll('\\', '/'),
);

test('every file that the architecture page names exists', () => {
  const named = [...PAGE.matchAll(/(?<![*\w/-])[\w./-]*\w\.ts\b/g)].map(([path]) => path.replace(/^src\//, ''));
  expect(named.length).toBeGreaterThan(60);
  const missing = named.filter(
    (path) => !FILES.some((file) => file === path || file.endsWith(`/${path}`)) && !existsSync(join(ROOT, path)),
  );
  expect(missing).toEqual([]);
});

test('every folder of src is in the table of the architecture page', () => {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const table = PAGE.slice(PAGE.indexOf('| folder of `src`'), PAGE.indexOf('A request passes'));
  expect(folders.map(({ name }) => name).filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});
