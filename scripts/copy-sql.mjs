/** Copies the migrations to `dist/`, beside the code that reads them: `tsc` only takes what it compiles. */
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

for (const store of ['sqlite']) {
  cpSync(`${root}src/store/${store}/migrations`, `${root}dist/store/${store}/migrations`, { recursive: true });
}
