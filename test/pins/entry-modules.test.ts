import { expect, test } from 'vitest';
import { entryModulesPage, modulesOf } from '../../scripts/text/entry-modules.ts';

test('the list of the modules that each entry loads is up to date', async () => {
  await expect(entryModulesPage(), 'update it: npm run text').toMatchFileSnapshot('entry-modules.md');
});

test('the list of modules leaves out late imports and type imports', () => {
  const sources = new Map([
    ['src/a.ts', "import './b.ts';\nimport type { C } from './c.ts';\nexport { d } from './d/d.ts';\nimport 'jose';"],
    ['src/b.ts', "const e = await import('./e.ts');"],
    ['src/d/d.ts', "import '../a.ts';"],
  ]);
  expect(modulesOf('src/a.ts', sources)).toEqual(['src/a.ts', 'src/b.ts', 'src/d/d.ts']);
});
