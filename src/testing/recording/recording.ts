import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonValue } from '../../model/json.ts';
import { isObject } from '../../wire/codec.ts';

/** A recorded conversation. Placeholders in double braces stand for values that differ from run to run. */
export interface Recording {
  readonly recording: 1;
  /** The path of the agent's address. The replay uses the same path. */
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

/** A response, a stream of events, or a lost connection. */
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
      /** How a stream ended, if not by itself: `cut` if the connection broke, `left` if the subscriber disconnected. */
      readonly ending?: 'cut' | 'left';
    };

export interface RecordedEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: JsonValue;
  /** Data that is not JSON. */
  readonly text?: string;
}

/** Stands for the address of the agent, which differs from run to run. */
export const AGENT = '{{agent}}';
/** Stands for the id of a JSON-RPC request, and of its response if it has the same id. */
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

/** @throws Error if the file does not exist or is not a recording. */
export async function readRecording(file: string | URL): Promise<Recording> {
  const name = fileName(file);
  let json: unknown;
  try {
    json = JSON.parse(await readFile(name, 'utf8'));
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? 'does not exist. Create it with record()' : 'is not valid JSON';
    throw new Error(`The recording ${name} ${why}`, { cause });
  }
  const isKnown = isObject(json) && json['recording'] === 1 && Array.isArray(json['exchanges']);
  if (!isKnown) throw new Error(`${name} is not a recording that this version can read. Create it again with record()`);
  return json as object as Recording;
}
