import type { JsonObject, JsonValue } from '../../model/json.ts';
import { isObject } from '../../wire/codec.ts';
import { eachString, mapStrings } from './json-walk.ts';
import type { Exchange, RecordedRequest } from './recording.ts';

/** The values of the placeholders in this run. */
export type PlaceholderValues = ReadonlyMap<string, string>;

/** The first difference between a request and a recorded one. */
export interface Difference {
  readonly at: string;
  readonly recorded: string;
  readonly asked: string;
}

const PLACEHOLDER = /\{\{(agent|(?:message|task|context|artifact|config|id)-\d+)\}\}/g;

/** The placeholders that a replay can bind from the start: ids of the agent. Ids of callers are bound by their requests. */
export function agentPlaceholders(exchanges: readonly Exchange[]): PlaceholderValues {
  const byCallers = new Set<string>();
  const placeholders = new Map<string, string>();
  const note = (json: unknown, isRequest: boolean): void => {
    eachString(json as JsonValue, (text) => {
      for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
        if (name === 'agent' || placeholders.has(name) || byCallers.has(name)) continue;
        if (isRequest) byCallers.add(name);
        else placeholders.set(name, name);
      }
    });
  };
  for (const { request, response } of exchanges) {
    note(request, true);
    note(response, false);
  }
  return placeholders;
}

/** Replaces the placeholders by their values. */
export function fillPlaceholders(json: JsonValue, placeholders: PlaceholderValues): JsonValue {
  return mapStrings(json, (text) => text.replace(PLACEHOLDER, (_, name: string) => placeholders.get(name) ?? name));
}

/** Compares a request with a recorded one, and binds the placeholders on the way. */
export class RequestMatch {
  readonly #placeholders: Map<string, string>;
  difference: Difference | undefined;

  /** @param url The address of the agent in this run. */
  constructor(placeholders: PlaceholderValues, url: string) {
    this.#placeholders = new Map(placeholders).set('agent', url);
  }

  get placeholders(): PlaceholderValues {
    return this.#placeholders;
  }

  /** Whether a request matches a recorded one. If not, `difference` is set. */
  request(recorded: RecordedRequest, asked: RecordedRequest): boolean {
    return (
      this.#text(recorded.method, asked.method, 'method') &&
      this.#text(recorded.path, asked.path, 'path') &&
      this.#text(recorded.query ?? '', asked.query ?? '', 'query') &&
      this.#text(lastEventId(recorded), lastEventId(asked), 'headers.last-event-id') &&
      this.#text(recorded.text ?? '', asked.text ?? '', 'body') &&
      this.#value(recorded.body, asked.body, '')
    );
  }

  #value(recorded: JsonValue | undefined, asked: JsonValue | undefined, at: string): boolean {
    if (typeof recorded === 'string' && typeof asked === 'string') return this.#text(recorded, asked, at);
    if (Array.isArray(recorded) && Array.isArray(asked)) {
      const [before, now] = [recorded, asked] as readonly (readonly JsonValue[])[];
      const length = Math.max(before?.length ?? 0, now?.length ?? 0);
      return Array.from({ length }).every((_, i) => this.#value(before?.[i], now?.[i], `${at}[${i}]`));
    }
    if (isObject(recorded) && isObject(asked)) return this.#members(recorded, asked, at);
    return recorded === asked || this.#differs(recorded, asked, at);
  }

  #members(recorded: JsonObject, asked: JsonObject, at: string): boolean {
    const names = new Set([...Object.keys(recorded), ...Object.keys(asked)]);
    return [...names].every((name) => this.#value(recorded[name], asked[name], at === '' ? name : `${at}.${name}`));
  }

  #text(recorded: string, asked: string, at: string): boolean {
    if (recorded === asked && !recorded.includes('{{')) return true;
    const unknown: string[] = [];
    const literals = [''];
    // Every other piece is a placeholder. The value of a bound one becomes part of the literal around it.
    for (const [i, piece] of recorded.split(PLACEHOLDER).entries()) {
      const value = i % 2 === 0 ? piece : this.#placeholders.get(piece);
      if (value !== undefined) literals[literals.length - 1] += value;
      else {
        unknown.push(piece);
        literals.push('');
      }
    }
    const values = textsBetween(literals, asked);
    // Different placeholders must have different values.
    const isTaken = values?.some((value) => [...this.#placeholders.values()].includes(value));
    if (values === undefined || isTaken) return this.#differs(recorded, asked, at);
    for (const [i, name] of unknown.entries()) this.#placeholders.set(name, values[i] ?? '');
    return true;
  }

  #differs(recorded: JsonValue | undefined, asked: JsonValue | undefined, at: string): boolean {
    this.difference = { at: at === '' ? 'body' : at, recorded: shown(recorded), asked: shown(asked) };
    return false;
  }
}

function lastEventId({ headers }: RecordedRequest): string {
  return headers?.['last-event-id'] ?? '';
}

/**
 * The texts between the literals, each at least one character long; undefined if the literals do not occur in this order. Each
 * literal is searched once, from left to right. A regular expression would try all combinations of positions.
 */
function textsBetween([first = '', ...others]: readonly string[], text: string): readonly string[] | undefined {
  if (others.length === 0) return text === first ? [] : undefined;
  if (!text.startsWith(first)) return undefined;
  const between: string[] = [];
  let at = first.length;
  for (const [i, literal] of others.entries()) {
    const isLast = i === others.length - 1;
    const start = isLast ? text.length - literal.length : text.indexOf(literal, at + 1);
    if (start <= at || !text.startsWith(literal, start)) return undefined;
    between.push(text.slice(at, start));
    at = start + literal.length;
  }
  return between;
}

function shown(json: JsonValue | undefined): string {
  const text = JSON.stringify(json) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
