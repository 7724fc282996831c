import { A2AError } from '../../../errors.ts';
import type { AgentCard } from '../../../model/card.ts';
import type { JsonObject, JsonValue } from '../../../model/json.ts';
import { isObject } from '../../codec.ts';
import { dialectOf } from '../../select.ts';
import type { ProtocolVersion, RequestedVersion } from '../../version.ts';
import { decodeCardBy, type DecodedCard, type ReadCardOptions, versionOfCard } from '../read-card.ts';

/** The format of a served card: that of one version, or `superset` with the members of both 1.0 and 0.3. */
export type CardForm = 'superset' | ProtocolVersion;

/**
 * Selects the format of a served card (docs/adr/0002-default-card.md). `agent.json` is the path of 0.2. At
 * `agent-card.json` the requested version decides; requests without a known version get `byDefault`.
 */
export function cardForm(
  path: 'agent-card.json' | 'agent.json',
  version: RequestedVersion,
  byDefault: CardForm,
): CardForm {
  if (path === 'agent.json') return version.kind === 'known' && version.version === '0.1' ? '0.1' : '0.2';
  return version.kind === 'known' ? version.version : byDefault;
}

/** @throws A2AError `UNSUPPORTED_OPERATION` if the version cannot describe the card. */
export function encodeCard(card: AgentCard, form: CardForm): JsonObject {
  switch (form) {
    case 'superset':
      return encodeSuperset(card);
    case '0.2':
      return withAuthentication(written(card, '0.2'), encodeIfExpressible(card, '0.1') ?? {});
    default:
      return written(card, form);
  }
}

/** A card that 0.3 cannot describe, or that has no 0.3 interface, is served in the 1.0 format only. */
function encodeSuperset(card: AgentCard): JsonObject {
  const v1 = written(card, '1.0');
  const v03 = encodeIfExpressible(card, '0.3');
  return v03 === undefined ? v1 : mergeCards(v1, v03);
}

function written(card: AgentCard, version: ProtocolVersion): JsonObject {
  return dialectOf(version).card.encode(card) as JsonObject;
}

function encodeIfExpressible(card: AgentCard, version: ProtocolVersion): JsonObject | undefined {
  try {
    return written(card, version);
  } catch (error) {
    if (A2AError.is(error, 'UNSUPPORTED_OPERATION')) return undefined;
    throw error;
  }
}

/** Decodes a card of any version. Clients use `readCard`. @throws A2AError `INVALID_AGENT_RESPONSE` */
export function decodeCard(json: unknown, options: ReadCardOptions = {}): DecodedCard {
  return decodeCardBy(dialectOf(versionOfCard(json, options)), json, options);
}

/**
 * One card for clients of 1.0 and of 0.3: the encoded forms of both versions merged. Their members have different
 * names, except the security schemes, whose entries contain both forms side by side.
 *
 * A scheme that only 1.0 can describe appears to 0.3 clients as an OAuth scheme without flows, which is valid there but
 * unusable. A skill that the 0.3 card drops because it needs such a scheme gets a requirement that 0.3 clients cannot
 * meet, because without one it would appear open. Signatures cover neither form, so there are none.
 */
export function mergeCards(v1: JsonObject, v03: JsonObject): JsonObject {
  const { signatures: _, ...members }: JsonObject = { ...v03, ...v1 };
  const securitySchemes = mergeSchemes(asObject(v1['securitySchemes']), asObject(v03['securitySchemes']));
  return {
    ...members,
    capabilities: { ...asObject(v03['capabilities']), ...asObject(v1['capabilities']) },
    skills: mergeSkills(asList(v1['skills']), asList(v03['skills'])),
    ...(Object.keys(securitySchemes).length > 0 && { securitySchemes }),
  };
}

/** The 0.2 card with the scheme names that 0.1 clients expect. 0.2 clients ignore them. */
export function withAuthentication(v02: JsonObject, v01: JsonObject): JsonObject {
  return v01['authentication'] === undefined ? v02 : { ...v02, authentication: v01['authentication'] };
}

function mergeSchemes(v1: JsonObject, v03: JsonObject): JsonObject {
  const entries = Object.entries(v1).map(([name, scheme]): [string, JsonValue] => {
    const tagged = Object.hasOwn(v03, name) ? asObject(v03[name]) : { type: 'oauth2', flows: {} };
    return [name, { ...tagged, ...asObject(scheme) }];
  });
  return Object.fromEntries(entries);
}

function mergeSkills(v1: readonly JsonValue[], v03: readonly JsonValue[]): readonly JsonValue[] {
  const byId = new Map(v03.map((skill) => [asObject(skill)['id'], asObject(skill)]));
  return v1.map((skill) => {
    const own = asObject(skill);
    const requirements = asList(own['securityRequirements']);
    if (requirements.length === 0) return own;
    return { ...own, security: byId.get(own['id'])?.['security'] ?? requirements.map(bare) };
  });
}

/** `{schemes: {name: {list: [scope]}}}` → `{name: [scope]}` */
function bare(requirement: JsonValue): JsonObject {
  const schemes = Object.entries(asObject(asObject(requirement)['schemes']));
  return Object.fromEntries(schemes.map(([name, scopes]) => [name, asObject(scopes)['list'] ?? []]));
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
