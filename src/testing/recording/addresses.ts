import type { JsonObject, JsonValue } from '../../model/json.ts';
import { isObject } from '../../wire/codec.ts';
import { classifyCard } from '../../wire/classify.ts';
import { mapStrings } from './json-walk.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** An origin of the agent with all its names, and the path prefix at which the recorder serves it. */
interface OriginMapping {
  readonly names: readonly string[];
  readonly prefix: string;
}

/** Maps the addresses of the agent to those of the recorder and back. */
export class Addresses {
  readonly #mappings: readonly OriginMapping[];

  /** The origin of the target is served at the root of the recorder, others below `/~1`, `/~2` … */
  constructor(target: URL, others: readonly string[]) {
    this.#mappings = [target, ...others.map((origin) => new URL(origin))].map((url, i) => ({
      names: namesOf(url),
      prefix: i === 0 ? '' : `/~${i}`,
    }));
  }

  /** The address of the agent for a path of the recorder. */
  resolve(path: string): string {
    const other = this.#mappings.find(({ prefix }) => prefix !== '' && path.startsWith(`${prefix}/`));
    const { names, prefix } = other ?? this.#mappings[0] ?? { names: [], prefix: '' };
    return `${names[0] ?? ''}${path.slice(prefix.length)}`;
  }

  /** Replaces addresses of the agent by those of the recorder. */
  toRecorder(json: JsonValue, recorder: string): JsonValue {
    return mapStrings(json, (text) => {
      let changed = text;
      for (const { names, prefix } of this.#mappings) {
        for (const name of names) changed = replaceOrigin(changed, name, recorder + prefix);
      }
      return changed;
    });
  }

  /** Replaces addresses of the recorder by those of the agent. */
  toAgent(json: JsonValue, recorder: string): JsonValue {
    return mapStrings(json, (text) => {
      let changed = text;
      for (const { names, prefix } of this.#mappings.toReversed()) {
        changed = replaceOrigin(changed, recorder + prefix, names[0] ?? '');
      }
      return changed;
    });
  }
}

function namesOf({ protocol, hostname, port, origin }: URL): readonly string[] {
  if (!LOOPBACK.includes(hostname)) return [origin];
  const others = LOOPBACK.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`);
  return [origin, ...others.filter((other) => other !== origin)];
}

/** Replaces an origin, but not `http://a.example:41` in `http://a.example:4100`. */
function replaceOrigin(text: string, origin: string, by: string): string {
  if (!text.includes(origin)) return text;
  const pattern = new RegExp(`${origin.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\w.:@-])`, 'g');
  return text.replace(pattern, () => by);
}

/** The card in a response: the body itself, or the result of a JSON-RPC call. */
function cardIn(json: JsonValue): JsonObject | undefined {
  if (!isObject(json)) return undefined;
  if (classifyCard(json) !== undefined) return json;
  return isObject(json['result']) && classifyCard(json['result']) !== undefined ? json['result'] : undefined;
}

/** Removes the signatures of a card, because they do not cover the changed addresses. */
export function withoutSignatures(json: JsonValue): JsonValue {
  const card = cardIn(json);
  if (card === undefined || !isObject(json) || !('signatures' in card)) return json;
  const { signatures: _, ...unsigned } = card;
  return card === json ? unsigned : { ...json, result: unsigned };
}

/** The origins of a card's interfaces that the recorder does not serve. */
export function foreignOriginsIn(json: JsonValue, recorder: string): readonly string[] {
  const card = cardIn(json);
  if (card === undefined) return [];
  const interfaces = [card, ...listOf(card['supportedInterfaces']), ...listOf(card['additionalInterfaces'])];
  const urls = interfaces.flatMap((each) => (isObject(each) && typeof each['url'] === 'string' ? each['url'] : []));
  const foreign = urls.filter((url) => /^https?:/i.test(url) && URL.canParse(url) && !url.startsWith(recorder));
  return [...new Set(foreign.map((url) => new URL(url).origin))];
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
