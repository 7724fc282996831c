import { A2AError } from '../../../errors.ts';
import type { JsonObject, JsonValue } from '../../../model/json.ts';
import { isDeeperThan } from '../../../support/json/json-depth.ts';
import { type Member, type Shape, signedCard } from './card-presence.ts';
import { isObject } from '../../codec.ts';
import { DEFAULT_LIMITS } from '../../decoder.ts';

/**
 * The forms of a card that signers in the field have signed, the official one first.
 *
 * - `spec`: the presence rules of 1.0 §8.4.1; members outside the schema are dropped.
 * - `unknown-kept`: the same, but members outside the schema stay.
 * - `pruned`: `spec` without any `""`, `null`, `[]` or `{}`, required or not. The reference SDKs sign this form.
 * - `pruned-unknown-kept`: the card as it was sent, without any `""`, `null`, `[]` or `{}`.
 */
export const CARD_VARIANTS = Object.freeze(['spec', 'unknown-kept', 'pruned', 'pruned-unknown-kept'] as const);

export type CardVariant = (typeof CARD_VARIANTS)[number];

/** Returns the content that a signature of the given variant covers. `signatures` is never part of it. */
export function canonicalCard(json: JsonObject, variant: CardVariant = 'spec'): JsonObject {
  rejectDeep(json);
  switch (variant) {
    case 'spec':
      return asObject(present(signedCard, json, keepMarked));
    case 'unknown-kept':
      return asObject(present(signedCard, unsigned(json), keepUnknownMembers));
    case 'pruned':
      return asObject(prune(present(signedCard, json, keepMarked)));
    case 'pruned-unknown-kept':
      return asObject(prune(unsigned(json)));
  }
}

/** Returns the RFC 8785 text of `canonicalCard`, which is signed after encoding as UTF-8. */
export async function canonicalPayload(json: JsonObject, variant: CardVariant = 'spec'): Promise<string> {
  const content = canonicalCard(json, variant);
  const { default: canonicalize } = await import('canonicalize');
  try {
    return canonicalize(content) ?? '{}';
  } catch (cause) {
    // A lone surrogate has no UTF-8 form, NaN and Infinity no JSON form.
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new A2AError('INVALID_PARAMS', `The agent card has no canonical form: ${reason}`, { cause });
  }
}

type Keep = (member: Member | undefined, value: JsonValue) => boolean;

const keepMarked: Keep = (member, value) => {
  // In ProtoJSON null means absence.
  if (member === undefined || value === null) return false;
  return member.mark !== 'defaulted' || !(isEmpty(value) || value === false || value === 0);
};

const keepUnknownMembers: Keep = (member, value) => member === undefined || keepMarked(member, value);

/** Applies the marks of `shape` recursively. Values of another shape are kept as received, because they may be signed that way. */
function present(shape: Shape | undefined, json: JsonValue, keep: Keep): JsonValue {
  if (shape === undefined || typeof json !== 'object' || json === null) return json;
  if (shape.kind === 'each') {
    if (!isObject(json)) return json.map((element) => present(shape.of, element, keep));
    return fromEntries(Object.entries(json).map(([key, value]) => [key, present(shape.of, value, keep)]));
  }
  if (!isObject(json)) return json;
  const kept: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(json)) {
    const member = shape.members.get(key);
    const content = present(member?.shape, value, keep);
    if (keep(member, content)) kept.push([key, content]);
  }
  return fromEntries(kept);
}

/** Prunes inner values first: an object that contains only empty values is empty, too. */
function prune(json: JsonValue): JsonValue {
  if (typeof json !== 'object' || json === null) return json;
  if (!isObject(json)) return json.map(prune).filter((element) => !isEmpty(element));
  const kept = Object.entries(json).map(([key, value]): [string, JsonValue] => [key, prune(value)]);
  return fromEntries(kept.filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return value === '' || value === null;
  return isObject(value) ? Object.keys(value).length === 0 : value.length === 0;
}

function unsigned(json: JsonObject): JsonObject {
  return fromEntries(Object.entries(json).filter(([key]) => key !== 'signatures'));
}

/** Unlike assignment, `fromEntries` turns `__proto__` into an ordinary member. */
function fromEntries(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}

function asObject(json: JsonValue): JsonObject {
  return isObject(json) ? json : {};
}

/** All later code recurses, and the depth of a received card is not under our control. */
function rejectDeep(json: JsonValue): void {
  const { maxDepth } = DEFAULT_LIMITS;
  if (!isDeeperThan(maxDepth, json)) return;
  throw new A2AError('INVALID_PARAMS', `The agent card has more than ${maxDepth} levels of nesting`);
}
