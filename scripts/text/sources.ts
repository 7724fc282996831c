import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from './root.ts';

/** The TypeScript files below a folder with their texts, sorted by path. */
export function readSourcesIn(folder: string): readonly (readonly [path: string, text: string])[] {
  const paths = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && !/\/(?:node_modules|\.cache)\//.test(path));
  return paths.sort().map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const);
}
