import type { JsonObject, JsonValue } from '../model/json.ts';
import { LINEAGE, type Lineage } from '../model/lineage.ts';
import type { Message } from '../model/message.ts';
import { isName, MAX_NAME } from '../support/name.ts';
import { isObject } from './codec.ts';

/** The most agents in the path of a lineage. */
const MAX_ENTRIES = 16;
/** The most characters of a lineage, as JSON. */
const MAX_LENGTH = 4096;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** Adds a lineage to the metadata of a message. One that is too large is left out, because receivers would ignore it. */
export function withLineage(message: Message, lineage: Lineage): Message {
  const { root, parent, depth, path, marks, deadline } = lineage;
  const value: JsonObject = {
    root,
    parent,
    depth,
    path,
    ...(marks.length > 0 && { marks }),
    ...(deadline !== undefined && { deadline: new Date(deadline).toISOString() }),
  };
  if (!fits(value, path)) return message;
  const { extensions = [], metadata } = message;
  return {
    ...message,
    metadata: { ...metadata, [LINEAGE.uri]: value },
    extensions: [...new Set([...extensions, LINEAGE.uri])],
  };
}

/**
 * The lineage in the metadata of a message. A lineage that is malformed or too large is ignored: it is a claim of the sender that can
 * only narrow limits, so a message is not rejected for it.
 */
export function lineageIn({ metadata }: Pick<Message, 'metadata'>): Lineage | undefined {
  if (metadata === undefined || !Object.hasOwn(metadata, LINEAGE.uri)) return undefined;
  const value = metadata[LINEAGE.uri];
  if (!isObject(value)) return undefined;
  const { root, parent, depth, path, marks = [], deadline } = value as Readonly<Record<string, JsonValue>>;
  if (!isId(root) || !isId(parent) || !isNames(path) || !isNames(marks) || !fits(value, path)) return undefined;
  if (typeof depth !== 'number' || !Number.isSafeInteger(depth) || depth < 1) return undefined;
  const lineage: Lineage = { root, parent, depth, path, marks };
  if (deadline === undefined) return lineage;
  const time = typeof deadline === 'string' && TIMESTAMP.test(deadline) ? Date.parse(deadline) : Number.NaN;
  return Number.isNaN(time) ? undefined : { ...lineage, deadline: time };
}

function fits(value: unknown, path: readonly string[]): boolean {
  return path.length <= MAX_ENTRIES && JSON.stringify(value).length <= MAX_LENGTH;
}

function isId(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME && isName(value);
}

function isNames(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length <= MAX_ENTRIES && value.every(isId);
}
