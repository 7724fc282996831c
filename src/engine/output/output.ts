import type { JsonInput, JsonObject, JsonValue } from '../../model/json.ts';
import type { Part, PartInput } from '../../model/part.ts';
import type { TaskState } from '../../model/state.ts';
import { normalizeBase64 } from '../../support/base64.ts';
import { encodeBase64 } from '../../support/bytes.ts';
import { defined } from '../../support/defined.ts';
import { nearest } from '../../support/nearest.ts';
import type { Writable } from '../../support/writable.ts';
import { toJson } from '../../support/json/to-json.ts';

/** The states that a handler can set, by their short names. */
const STATES = {
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  rejected: 'TASK_STATE_REJECTED',
} as const satisfies Record<string, TaskState>;

/** A state that a handler can set with `{ status: … }`. */
export type OutputState = keyof typeof STATES;

/** The content of an output: exactly one of `text`, `data`, `bytes`, `url` and `parts`. */
export interface OutputContent {
  /** Plain text. */
  readonly text?: string;
  /** A value that has a JSON form. */
  readonly data?: JsonInput;
  /** The content of a file, as bytes or as base64. */
  readonly bytes?: Uint8Array | string;
  /** The URL of a file. */
  readonly url?: string;
  /** Several parts in the A2A 1.0 format. */
  readonly parts?: readonly PartInput[];
  /** The media type of the content. Ignored with `parts`. */
  readonly mediaType?: string;
  /** The file name of the content. Ignored with `parts`. */
  readonly filename?: string;
}

/**
 * A status, with or without content. `completed`, `failed` and `rejected` end the task; `input-required` and
 * `auth-required` pause it until the next message.
 */
export interface StatusOutput extends OutputContent {
  /** The new state of the task. */
  readonly status: OutputState;
  /** Metadata of the status event: an object that has a JSON form. */
  readonly metadata?: object;
}

/** A chunk of an artifact. Callers see the name; chunks with the same name belong to the same artifact. */
export interface ArtifactOutput extends OutputContent {
  /** The name of the artifact. */
  readonly artifact: string;
  /** A description of the artifact. */
  readonly description?: string;
  /** Whether to append to the artifact instead of replacing it; `false` if not set. */
  readonly append?: boolean;
  /** No chunk follows. The engine sets it for a returned output, and for chunks that are not sent yet when the handler returns. */
  readonly lastChunk?: boolean;
  /** Metadata of the artifact: an object that has a JSON form. */
  readonly metadata?: object;
  /** The URIs of the extensions that the artifact uses. */
  readonly extensions?: readonly string[];
}

/** Ends the run with a message instead of a task, as `ctx.reply()` does, unless the caller can already see the task. */
export interface ReplyOutput {
  /** The content of the message. */
  readonly reply: string | OutputContent;
}

/** A value that a handler can yield or return. A string appends to the artifact `response`. */
export type Output =
  | string
  | StatusOutput
  | ArtifactOutput
  | ReplyOutput
  | (OutputContent & {
      /** Not set: content without a status appends to the artifact `response`. */
      readonly status?: never;
      /** Not set: content without a name appends to the artifact `response`. */
      readonly artifact?: never;
      /** Not set: the output belongs to the task. */
      readonly reply?: never;
    });

/** A status that does not end or pause the task. */
export interface WorkingStatus extends StatusOutput {
  /** Always `working`. */
  readonly status: 'working';
}

/** A validated output: a status, a chunk of an artifact, or a reply. */
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

/** The artifact that collects output without a name. */
export const RESPONSE = 'response';

const CONTENTS = ['text', 'data', 'bytes', 'url', 'parts'] as const;
const CONTENT_KEYS = [...CONTENTS, 'mediaType', 'filename'];

/** The members of each kind of output. */
const KEYS = {
  status: new Set([...CONTENT_KEYS, 'status', 'metadata']),
  artifact: new Set([...CONTENT_KEYS, 'artifact', 'description', 'append', 'lastChunk', 'metadata', 'extensions']),
  reply: new Set(CONTENT_KEYS),
  part: new Set(['text', 'raw', 'url', 'data', 'metadata', 'filename', 'mediaType', 'unknownMembers']),
} as const;

/** A typo would silently put content in another place, or lose it. */
function checkKeys(given: Record<string, unknown>, kind: keyof typeof KEYS, at = ''): void {
  for (const key in given) {
    if (KEYS[kind].has(key) || !Object.hasOwn(given, key) || given[key] === undefined) continue;
    const meant = nearest(key, [...KEYS[kind], 'artifact', 'status', 'reply']);
    const known = [...KEYS[kind]].join(', ');
    const hint = meant === undefined ? `known members: ${known}` : `did you mean ${meant}?`;
    throw new TypeError(`${at}${key} is not a member of ${NAMES[kind]}; ${hint}`);
  }
}

const NAMES = { status: 'a status', artifact: 'an artifact', reply: 'a reply', part: 'a part' } as const;

/**
 * Validates an output of a handler. Handlers are user code, so no member is trusted.
 *
 * @param isLast Whether the handler returned it, so that no output follows.
 * @throws TypeError with a message for the author of the handler. Callers never see it.
 */
export function emissionOf(output: unknown, isLast = false): Emission {
  // The most frequent output. Collecting its members like those of other outputs would cost more than everything else here.
  if (typeof output === 'string') {
    return { kind: 'artifact', name: RESPONSE, parts: [{ text: output }], append: true, lastChunk: isLast };
  }
  if (typeof output !== 'object' || output === null || Array.isArray(output)) throw nonsense(output);
  const given = output as Record<string, unknown>;
  if (given['status'] !== undefined && given['artifact'] !== undefined) throw nonsense(output);
  if (given['reply'] !== undefined) return replyOf(given);
  if (given['status'] !== undefined) return statusOf(given);
  checkKeys(given, 'artifact');
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
    throw new TypeError(`An output with reply must have no other members, got ${other}: move it into reply`);
  }
  return { kind: 'reply', parts: partsOfContent(reply, 'reply') };
}

/**
 * Validates a text or content.
 *
 * @param name Its name in errors.
 * @throws TypeError with a message for the author of the handler.
 */
export function partsOfContent(content: unknown, name: string): readonly Part[] {
  if (typeof content === 'string') return [{ text: content }];
  const isObject = typeof content === 'object' && content !== null;
  if (isObject) checkKeys(content as Record<string, unknown>, 'reply', `${name}.`);
  const parts = isObject ? partsOf(content as Record<string, unknown>) : [];
  if (parts.length > 0) return parts;
  throw new TypeError(
    `${name} must be a string, or content such as { data: … } or { parts: […] }, not ${show(content)}`,
  );
}

function statusOf(given: Record<string, unknown>): Emission {
  const { status } = given;
  if (typeof status !== 'string' || !Object.hasOwn(STATES, status)) {
    throw new TypeError(`A status must be one of ${Object.keys(STATES).join(', ')}, not ${show(status)}`);
  }
  checkKeys(given, 'status');
  const state = STATES[status as OutputState];
  const parts = partsOf(given);
  const metadata = struct(given, 'metadata');
  return metadata === undefined ? { kind: 'status', state, parts } : { kind: 'status', state, parts, metadata };
}

type ArtifactEmission = Extract<Emission, { kind: 'artifact' }>;

/** Runs for every chunk. Setting members one by one is cheaper than removing undefined ones. */
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
  if (contents.length > 1)
    throw new TypeError(`An output can have only one of ${contents.join(', ')}: use parts for several`);
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

/** Validates parts in the A2A 1.0 format. An invalid part would break every client that reads the task. */
function checkedParts(parts: unknown): readonly Part[] {
  if (!Array.isArray(parts)) throw new TypeError(`parts must be an array, not ${show(parts)}`);
  return parts.map((part: unknown, i) => {
    if (typeof part !== 'object' || part === null)
      throw new TypeError(`parts[${i}] must be an object, not ${show(part)}`);
    const given = part as Record<string, unknown>;
    checkKeys(given, 'part', `parts[${i}].`);
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

/** Returns a JSON copy of the value, because the handler may change its own later. */
function plain(given: Record<string, unknown>, key: string): JsonValue {
  return toJson(given[key], key);
}

function nonsense(output: unknown): TypeError {
  return new TypeError(
    `A handler must yield or return a string, {status: …}, {artifact: …, text: …} or {reply: …}, not ${show(output)}`,
  );
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
}
