import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll } from 'vitest';

import { type Bundle, bundle } from './bundle.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { Session } from './session.ts';

/** The time limit of a test or hook. A process that hangs fails after 30 s; the rest is for busy machines. */
export const TIMEOUT_MS = 120_000;

export interface Sessions {
  /** The folder for the data of this test file, removed after it. */
  readonly folder: string;
  open(name: string): Session;
}

/** Call it at the top of a test file. */
export function sessions(): Sessions {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-crash-'));
  let worker: Bundle | undefined;
  let receiver: Receiver | undefined;
  beforeAll(async () => {
    worker = await bundle(new URL('worker.ts', import.meta.url));
    receiver = await openReceiver();
  }, TIMEOUT_MS);
  afterAll(async () => {
    await receiver?.close();
    worker?.remove();
    rmSync(folder, { recursive: true });
  });
  const open = (name: string): Session => {
    if (receiver === undefined) throw new Error('Open a session inside a test or a hook');
    return new Session(join(folder, name), worker?.path ?? '', receiver);
  };
  return { folder, open };
}
