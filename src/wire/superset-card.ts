import type { JsonObject, JsonValue } from '../model/json.ts';
import { isObject } from './codec.ts';

/**
 * One card for readers of 1.0 and of 0.3, made of the two written forms of the same card. Their members have different
 * names, but for the security schemes, whose entries hold both forms side by side.
 *
 * A scheme that only 1.0 can describe is given to readers of 0.3 as an OAuth scheme without flows: valid there, and of
 * no use. A skill that the 0.3 card leaves out because it needs such schemes is seen by readers of 0.3 with a
 * requirement that they cannot meet, since it would look open without one. Signatures cover neither form of this, so
 * there are none.
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

/** The card of 0.2 with the names of the schemes that readers of 0.1 look for. 0.2 ignores them. */
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
