import { A2AError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { isDeeperThan } from '../support/json-depth.ts';
import { type Member, type Shape, signedCard } from './card-marks.ts';
import { isObject } from './codec.ts';
import { DEFAULT_LIMITS } from './reader.ts';

/**
 * The forms of a card that signers in the field have signed, the official one first.
 *
 * - `spec`: the presence rules of 1.0 §8.4.1; what the schema does not know is not part of the card.
 * - `unknown-kept`: the same, but members outside the schema stay.
 * - `pruned`: `spec` without any `""`, `null`, `[]` or `{}`, required or not: what the reference SDKs sign.
 * - `pruned-unknown-kept`: the card as it was sent, without any `""`, `null`, `[]` or `{}`.
 */
export const CARD_VARIANTS = Object.freeze(['spec', 'unknown-kept', 'pruned', 'pruned-unknown-kept'] as const);

export type CardVariant = (typeof CARD_VARIANTS)[number];

/** The content that a signature of the given variant covers. `signatures` is never part of it. */
export function canonicalCard(json: JsonObject, variant: CardVariant = 'spec'): JsonObject {
  refuseDeep(json);
  switch (variant) {
    case 'spec':
      return asObject(present(signedCard, json, keepMarked));
    case 'unknown-kept':
      return asObject(present(signedCard, unsigned(json), keepStrangers));
    case 'pruned':
      return asObject(prune(present(signedCard, json, keepMarked)));
    case 'pruned-unknown-kept':
      return asObject(prune(unsigned(json)));
  }
}

/**
 * The card as we publish it: only what the schema knows, without any empty value that may be left out. Most cards then
 * have the same bytes in every variant. Required members stay even if empty, so `tags: []` or a requirement without
 * scopes still tell `spec` from `pruned`.
 */
export function tidyCard(json: JsonObject): JsonObject {
  refuseDeep(json);
  return asObject(
    present(signedCard, json, (member, value) => {
      return keepMarked(member, value) && !(member?.mark === 'optional' && isEmpty(value));
    }),
  );
}

/** The RFC 8785 text of `canonicalCard`: what is signed, before its encoding as UTF-8. */
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
  // ProtoJSON: null is absence.
  if (member === undefined || value === null) return false;
  return member.mark !== 'defaulted' || !(isEmpty(value) || value === false || value === 0);
};

const keepStrangers: Keep = (member, value) => member === undefined || keepMarked(member, value);

/** Applies the marks of `shape` recursively. What does not have that shape is kept as it is: it may be signed that way. */
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

/** Inner values first: an object that holds nothing but empty values is empty too. */
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

/** Unlike assignment, this makes `__proto__` a member like any other. */
function fromEntries(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}

function asObject(json: JsonValue): JsonObject {
  return isObject(json) ? json : {};
}

/** Everything after this recurses, and a stranger chose how deep. */
function refuseDeep(json: JsonValue): void {
  const { maxDepth } = DEFAULT_LIMITS;
  if (!isDeeperThan(maxDepth, json)) return;
  throw new A2AError('INVALID_PARAMS', `The agent card has more than ${maxDepth} levels`);
}
