import type { JsonValue } from '../../model/json.ts';
import { isObject } from '../../wire/codec.ts';
import { mapMembers } from './json-walk.ts';
import { isSecretName, isTokenCount } from '../../support/secret/secret-names.ts';
import { withoutSecrets } from '../../support/secret/secret-texts.ts';

/** Replaces a secret. */
export const SCRUBBED = '[scrubbed]';

/** Shorter header values may be ordinary words, so they are not removed elsewhere. */
const SHORTEST_KNOWN = 6;

/** Members that describe how to authenticate. They contain names, not secrets. */
const DESCRIPTIONS = new Set(['securitySchemes', 'security', 'securityRequirements', 'schemes']);
/** Members with webhook configs, whose URL may contain a secret in its path. */
const WEBHOOKS = new Set(['pushNotificationConfig', 'taskPushNotificationConfig', 'pushNotification', 'config']);

/** Removes secrets from recorded content. Equal input gives equal output, so that recordings can be compared. */
export class Scrubber {
  readonly #known = new Set<string>();

  /** @param secrets Texts to remove wherever they occur. */
  constructor(secrets: readonly string[] = []) {
    for (const secret of secrets) if (secret !== '') this.#known.add(secret);
  }

  /** Learns the credentials in headers, so that they are also removed from bodies that repeat them. */
  learn(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) {
      if (!isSecretName(name)) continue;
      for (const secret of secretsIn(value)) if (secret.length >= SHORTEST_KNOWN) this.#known.add(secret);
    }
  }

  text(text: string): string {
    let clean = text;
    for (const secret of this.#known) clean = clean.replaceAll(secret, SCRUBBED);
    return withoutSecrets(clean, SCRUBBED);
  }

  /** Without the question mark. */
  query(query: string): string {
    return query === '' ? '' : this.text(`?${query}`).slice(1);
  }

  json(json: JsonValue): JsonValue {
    if (typeof json === 'string') return this.text(json);
    if (Array.isArray(json)) return json.map((item: JsonValue) => this.json(item));
    if (!isObject(json)) return json;
    const isWebhook = 'token' in json || 'authentication' in json;
    return mapMembers(json, (value, name) => this.#member(name, value, isWebhook));
  }

  #member(name: string, value: JsonValue, isWebhook: boolean): JsonValue {
    if (DESCRIPTIONS.has(name)) return value;
    if (isSecretName(name)) return typeof value === 'number' && isTokenCount(name) ? value : blank(value);
    if (isWebhook && name === 'url' && typeof value === 'string') return this.#webhookUrl(value);
    if (WEBHOOKS.has(name) && isObject(value) && typeof value['url'] === 'string') {
      return this.json({ ...value, url: this.#webhookUrl(value['url']) });
    }
    return this.json(value);
  }

  /** Removes long random path segments, by which many webhooks authenticate their callers. */
  #webhookUrl(url: string): string {
    return this.text(url).replace(/\/(?=[\w-]*\d)(?=[\w-]*[a-zA-Z])[\w-]{16,}/g, `/${SCRUBBED}`);
  }
}

function blank(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value === '' ? '' : SCRUBBED;
  if (typeof value === 'number') return SCRUBBED;
  if (Array.isArray(value)) return value.map((item: JsonValue) => blank(item));
  return isObject(value) ? mapMembers(value, (member) => blank(member)) : value;
}

/** `Bearer x` → x; `Basic …` → also the password in it; cookies → their values. */
function secretsIn(value: string): readonly string[] {
  const [scheme = '', credentials] = value.split(/\s+(.*)/, 2);
  const pieces = value.split(/[;,]\s*/).map((piece) => piece.slice(piece.indexOf('=') + 1));
  if (credentials === undefined) return [value, ...pieces];
  if (scheme.toLowerCase() !== 'basic') return [value, credentials, ...pieces];
  const [, password = ''] = Buffer.from(credentials, 'base64').toString('utf8').split(/:(.*)/, 2);
  return [value, credentials, password];
}
