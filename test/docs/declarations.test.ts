/** The declarations of the package, read by a compiler that checks them too. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { compile } from './compile.ts';

/** The entries that run without Node. The others need `@types/node`, because their declarations have types of Node. */
const ENTRIES = ['tandem-a2a', 'tandem-a2a/server', 'tandem-a2a/store', 'tandem-a2a/webhooks'];
const OPTIONS = { target: 'es2022', module: 'nodenext', types: [], strict: true, noEmit: true };

test.each(ENTRIES)(
  'the declarations of %s compile without skipLibCheck, a newer lib and @types/node',
  async (entry) => {
    const folder = join(inject('installed'), 'declarations', entry);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'program.ts'), `import * as all from '${entry}';\nexport { all };\n`);
    expect(await compile(folder, OPTIONS)).toEqual([]);
  },
);
