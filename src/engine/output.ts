import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Part } from '../model/part.ts';
import type { TaskState } from '../model/state.ts';
import { normalizeBase64 } from '../support/base64.ts';
import { encodeBase64 } from '../support/bytes.ts';
import { defined } from '../support/defined.ts';
import type { Writable } from '../support/writable.ts';

/** The states that a handler may announce, in the words that people use. */
const STATES = {
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  rejected: 'TASK_STATE_REJECTED',
} as const satisfies Record<string, TaskState>;

export type OutputState = keyof typeof STATES;

/** Content in its simplest forms; `parts` for everything else. Exactly one of the first five. */
export interface OutputContent {
  readonly text?: string;
  readonly data?: JsonValue;
  /** Raw bytes, or their base64. */
  readonly bytes?: Uint8Array | string;
  readonly url?: string;
  readonly parts?: readonly Part[];
  readonly mediaType?: string;
  readonly filename?: string;
}

/** A word about how it goes, with or without content. */
export interface StatusOutput extends OutputContent {
  readonly status: OutputState;
  readonly metadata?: JsonObject;
}

/** A piece of a result. The name is what callers see, and what later pieces go by. */
export interface ArtifactOutput extends OutputContent {
  readonly artifact: string;
  readonly description?: string;
  /** Adds to the artifact of that name instead of replacing it. */
  readonly append?: boolean;
  /** No chunk follows. The engine sets it for a returned output, and for chunks that are not sent yet when the handler returns. */
  readonly lastChunk?: boolean;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

/** Ends the run with a message, as `ctx.reply()` does: no task is made of it, unless the caller knows of one already. */
export interface ReplyOutput {
  readonly reply: string | OutputContent;
}

/** What a handler may yield or return. A bare text adds to the artifact `response`. */
export type Output =
  | string
  | StatusOutput
  | ArtifactOutput
  | ReplyOutput
  | (OutputContent & { readonly status?: never; readonly artifact?: never; readonly reply?: never });

/** A status that does not end or pause the task. */
export interface WorkingStatus extends StatusOutput {
  readonly status: 'working';
}

/** What became of an output: a status, a chunk of an artifact, or a reply. */
export type Emission =
  | {
      readonly kind: 'status';
      readonly state: TaskState;
      readonly parts: readonly Part[];
      readonly metadata?: JsonObject;
    }
  | {
      readonly kind: 'artifact';
      readonly name: string;
      readonly parts: readonly Part[];
      readonly append: boolean;
      readonly lastChunk: boolean;
      readonly description?: string;
      readonly metadata?: JsonObject;
      readonly extensions?: readonly string[];
    }
  | { readonly kind: 'reply'; readonly parts: readonly Part[] };

/** The artifact that collects what a handler says without a name. */
export const RESPONSE = 'response';

const CONTENTS = ['text', 'data', 'bytes', 'url', 'parts'] as const;

/**
 * Reads what a handler gave. Handlers are not ours, so nothing is taken on trust.
 *
 * @param isLast The handler has returned it: no output follows.
 * @throws TypeError that tells the author of the handler what to give instead; it never reaches a caller.
 */
export function emissionOf(output: unknown, isLast = false): Emission {
  // By far the most frequent: spelled out, because gathering the members would cost more than all the rest.
  if (typeof output === 'string') {
    return { kind: 'artifact', name: RESPONSE, parts: [{ text: output }], append: true, lastChunk: isLast };
  }
  if (typeof output !== 'object' || output === null || Array.isArray(output)) throw nonsense(output);
  const given = output as Record<string, unknown>;
  if (given['status'] !== undefined && given['artifact'] !== undefined) throw nonsense(output);
  if (given['reply'] !== undefined) return replyOf(given);
  if (given['status'] !== undefined) return statusOf(given);
  const parts = partsOf(given);
  if (parts.length === 0) throw nonsense(output);
  if (given['artifact'] === undefined) return chunk(RESPONSE, parts, given, true, isLast);
  const name = given['artifact'];
  if (typeof name !== 'string' || name === '')
    throw new TypeError('The name of an artifact must be a non-empty string');
  return chunk(name, parts, given, given['append'] === true, isLast);
}

function replyOf(given: Record<string, unknown>): Emission {
  const { reply, ...more } = given;
  const other = Object.keys(more).find((key) => more[key] !== undefined);
  if (other !== undefined) {
    throw new TypeError(`An output with reply takes nothing else, and this has ${other}: put it into reply`);
  }
  if (typeof reply === 'string') return { kind: 'reply', parts: [{ text: reply }] };
  const parts = typeof reply === 'object' && reply !== null ? partsOf(reply as Record<string, unknown>) : [];
  if (parts.length === 0) {
    throw new TypeError(`reply must be a text, or content such as { data: … } or { parts: […] }, not ${show(reply)}`);
  }
  return { kind: 'reply', parts };
}

function statusOf(given: Record<string, unknown>): Emission {
  const { status } = given;
  if (typeof status !== 'string' || !Object.hasOwn(STATES, status)) {
    throw new TypeError(`A status must be one of ${Object.keys(STATES).join(', ')}, not ${show(status)}`);
  }
  const state = STATES[status as OutputState];
  const parts = partsOf(given);
  const metadata = struct(given, 'metadata');
  return metadata === undefined ? { kind: 'status', state, parts } : { kind: 'status', state, parts, metadata };
}

type ArtifactEmission = Extract<Emission, { kind: 'artifact' }>;

/** Every chunk comes by here: members are set one by one, which is cheaper than to leave out those that are undefined. */
function chunk(
  name: string,
  parts: readonly Part[],
  given: Record<string, unknown>,
  append: boolean,
  isLast: boolean,
): Emission {
  const lastChunk = isLast || given['lastChunk'] === true;
  const emission: Writable<ArtifactEmission> = {
    kind: 'artifact',
    name,
    parts,
    append,
    lastChunk,
  };
  const description = text(given, 'description');
  if (description !== undefined) emission.description = description;
  const metadata = struct(given, 'metadata');
  if (metadata !== undefined) emission.metadata = metadata;
  const { extensions } = given;
  if (Array.isArray(extensions)) emission.extensions = extensions.map(String);
  return emission;
}

function partsOf(given: Record<string, unknown>): readonly Part[] {
  const contents = CONTENTS.filter((key) => given[key] !== undefined);
  const [content] = contents;
  if (content === undefined) return [];
  if (contents.length > 1) throw new TypeError(`Give one of ${contents.join(', ')}, or put several into parts`);
  if (content === 'parts') return checkedParts(given['parts']);
  const part = bareOf(content, given);
  const mediaType = text(given, 'mediaType');
  if (mediaType !== undefined) part.mediaType = mediaType;
  const filename = text(given, 'filename');
  if (filename !== undefined) part.filename = filename;
  return [part];
}

function bareOf(content: Exclude<(typeof CONTENTS)[number], 'parts'>, given: Record<string, unknown>): Writable<Part> {
  switch (content) {
    case 'text':
      return { text: text(given, 'text') ?? '' };
    case 'data':
      return { data: plain(given, 'data') };
    case 'bytes':
      return { raw: base64Of(given['bytes']) };
    case 'url':
      return { url: text(given, 'url') ?? '' };
  }
}

/** Parts in the words of the protocol; what is not one of them would break every reader of the task. */
function checkedParts(parts: unknown): readonly Part[] {
  if (!Array.isArray(parts)) throw new TypeError(`parts must be an array, not ${show(parts)}`);
  return parts.map((part: unknown, i) => {
    if (typeof part !== 'object' || part === null)
      throw new TypeError(`parts[${i}] must be an object, not ${show(part)}`);
    const given = part as Record<string, unknown>;
    const contents = (['text', 'raw', 'url', 'data'] as const).filter((key) => given[key] !== undefined);
    const [content] = contents;
    if (content === undefined || contents.length > 1) {
      throw new TypeError(`parts[${i}] must have exactly one of text, raw, url, data`);
    }
    if (content !== 'data' && typeof given[content] !== 'string') {
      throw new TypeError(`parts[${i}].${content} must be a string, not ${show(given[content])}`);
    }
    const value =
      content === 'raw' ? base64Of(given['raw']) : content === 'data' ? plain(given, 'data') : given[content];
    const names = { mediaType: text(given, 'mediaType'), filename: text(given, 'filename') };
    return defined({ [content]: value, ...names, metadata: struct(given, 'metadata') }) as unknown as Part;
  });
}

function base64Of(bytes: unknown): string {
  if (bytes instanceof Uint8Array) return encodeBase64(bytes);
  const standard = typeof bytes === 'string' ? normalizeBase64(bytes) : undefined;
  if (standard === undefined) throw new TypeError('bytes must be a Uint8Array or base64 text');
  return standard;
}

function text(given: Record<string, unknown>, key: string): string | undefined {
  const value = given[key];
  if (value === undefined || typeof value === 'string') return value;
  throw new TypeError(`${key} must be a string, not ${show(value)}`);
}

function struct(given: Record<string, unknown>, key: string): JsonObject | undefined {
  const value = given[key];
  if (value === undefined) return undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return plain(given, key) as JsonObject;
  throw new TypeError(`${key} must be an object, not ${show(value)}`);
}

/** A value as JSON has it. A copy: the handler keeps its own, and may go on changing it. */
function plain(given: Record<string, unknown>, key: string): JsonValue {
  const json = JSON.stringify(given[key]);
  if (json === undefined) throw new TypeError(`${key} must be something that JSON can hold, not ${show(given[key])}`);
  return JSON.parse(json) as JsonValue;
}

function nonsense(output: unknown): TypeError {
  return new TypeError(`A handler gives texts, {status: …}, {artifact: …, text: …} or {reply: …}, not ${show(output)}`);
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
}
