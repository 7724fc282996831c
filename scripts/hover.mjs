/** `node scripts/hover.mjs`: lists the public declarations and members that have no JSDoc comment. */
import { tsImport } from 'tsx/esm/api';

/** @type {typeof import('./text/hover.ts')} */
const { missingHoverTexts } = await tsImport('./text/hover.ts', import.meta.url);
const missing = missingHoverTexts();
for (const { path, line, name, isExported } of missing) {
  process.stdout.write(`${path}:${line} ${name}${isExported ? '' : ' (mentioned by an exported type)'}\n`);
}
process.stdout.write(`${missing.length} without hover text\n`);
