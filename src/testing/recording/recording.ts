import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonValue } from '../../model/json.ts';
import { isObject } from '../../wire/codec.ts';

/** A conversation as it is kept in a file. What stands in double braces differs from run to run. */
export interface Recording {
  readonly recording: 1;
  /** The path of the agent's address, which a replay has too. */
  readonly path: string;
  readonly exchanges: readonly Exchange[];
}

export interface Exchange {
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
  /** A body that is not JSON. */
  readonly text?: string;
}

/** One answer, a stream of events, or none at all. */
export type RecordedResponse =
  | { readonly lost: true }
  | {
      readonly lost?: never;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: JsonValue;
      /** A body that is not JSON. */
      readonly text?: string;
      readonly events?: readonly RecordedEvent[];
      /** How a stream ended, if not by itself: the connection broke, or the reader left. */
      readonly ending?: 'cut' | 'left';
    };

export interface RecordedEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: JsonValue;
  /** Data that is not JSON. */
  readonly text?: string;
}

/** The address of the agent, which is another one at each run. */
export const AGENT = '{{agent}}';
/** The id of a JSON-RPC request, and of its answer if that repeats it. */
export const REQUEST_ID = '{{request-id}}';

/** Readable and writable for the owner only, because the scrubber cannot recognise every secret. */
const OWNER_ONLY = 0o600;

export function fileName(file: string | URL): string {
  return typeof file === 'string' ? file : fileURLToPath(file);
}

export async function writeRecording(file: string | URL, recording: Recording): Promise<void> {
  const name = fileName(file);
  await mkdir(dirname(name), { recursive: true });
  const handle = await open(name, 'w', OWNER_ONLY);
  try {
    // An existing file keeps its mode when it is opened.
    await handle.chmod(OWNER_ONLY);
    await handle.writeFile(`${JSON.stringify(recording, null, 2)}\n`);
  } finally {
    await handle.close();
  }
}

/** @throws Error that says what is wrong with the file. */
export async function readRecording(file: string | URL): Promise<Recording> {
  const name = fileName(file);
  let json: unknown;
  try {
    json = JSON.parse(await readFile(name, 'utf8'));
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? 'does not exist: make it with record()' : 'is not JSON';
    throw new Error(`The recording ${name} ${why}`, { cause });
  }
  const isKnown = isObject(json) && json['recording'] === 1 && Array.isArray(json['exchanges']);
  if (!isKnown) throw new Error(`${name} is no recording of this version: make it again with record()`);
  return json as object as Recording;
}
