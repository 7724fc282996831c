import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll } from 'vitest';

import { type Bundle, bundle } from './bundle.ts';
import { Session } from './session.ts';

/** For a test, or what comes before all of them: processes hang after 30 s, and a machine may be busy. */
export const TIMEOUT_MS = 120_000;

export interface Sessions {
  /** For all files of this test file; gone after it. */
  readonly folder: string;
  open(name: string): Session;
}

/** To be called at the top of a test file. */
export function sessions(): Sessions {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-crash-'));
  let worker: Bundle | undefined;
  beforeAll(async () => {
    worker = await bundle(new URL('worker.ts', import.meta.url));
  }, TIMEOUT_MS);
  afterAll(() => {
    worker?.remove();
    rmSync(folder, { recursive: true });
  });
  return { folder, open: (name) => new Session(join(folder, name), worker?.path ?? '') };
}
