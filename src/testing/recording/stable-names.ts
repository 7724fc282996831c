import type { JsonValue } from '../../model/json.ts';
import { isObject } from '../../wire/codec.ts';
import { eachString, mapStrings } from './json-walk.ts';
import { looksMadeUp } from './caller-ids.ts';
import type { Exchange, RecordedEvent, RecordedRequest, RecordedResponse } from './recording.ts';

/** Members that contain ids, and the kind of object that they identify. */
const KINDS: Readonly<Record<string, string>> = {
  messageId: 'message',
  taskId: 'task',
  referenceTaskIds: 'task',
  contextId: 'context',
  sessionId: 'context',
  artifactId: 'artifact',
  pushNotificationConfigId: 'config',
};

/** Ids that callers choose. They are replaced even if they do not look generated. */
const MADE_BY_CALLERS = new Set(['messageId', 'contextId', 'sessionId']);

const TIME = /^\d{4}-\d\d-\d\d([Tt ])\d\d:\d\d:\d\d(\.\d+)?(.*)$/s;

/**
 * Replaces ids and times that differ from run to run by stable names: the first task is `{{task-1}}` wherever it occurs. Two
 * recordings of the same conversation are then equal.
 */
export function withStableNames(exchanges: readonly Exchange[]): readonly Exchange[] {
  const names = new StableNames();
  for (const { request, response } of exchanges) {
    names.learnRequest(request);
    names.learnResponse(response);
  }
  return exchanges.map(({ request, response }) => ({
    request: names.renameRequest(request),
    response: names.renameResponse(response),
  }));
}

class StableNames {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #fromAgent = new Set<string>();

  learnRequest({ body }: RecordedRequest): void {
    if (body === undefined) return;
    const method = isObject(body) ? body['method'] : undefined;
    const namesTask = typeof method === 'string' && method.startsWith('tasks/send');
    eachString(body, (text, path, parent) => {
      const member = path.at(-1) ?? '';
      const isTaskOf01 = namesTask && path.join('.') === 'params.id';
      // An id that a response contained before was chosen by the agent.
      const isOwn = (MADE_BY_CALLERS.has(member) || isTaskOf01) && !this.#fromAgent.has(text);
      if (isOwn || isId(member, text)) this.#name(text, isTaskOf01 ? 'task' : kindOf(member, parent));
    });
  }

  learnResponse(response: RecordedResponse): void {
    for (const json of contentsOf(response)) {
      eachString(json, (text, path, parent) => {
        const member = path.at(-1) ?? '';
        if (member in KINDS || member === 'id') this.#fromAgent.add(text);
        if (isId(member, text)) this.#name(text, kindOf(member, parent));
      });
    }
  }

  renameRequest(request: RecordedRequest): RecordedRequest {
    const { path, query, body } = request;
    return {
      ...request,
      path: this.#inText(path),
      ...(query !== undefined && { query: this.#inText(query) }),
      ...(body !== undefined && { body: this.#inJson(body) }),
    };
  }

  renameResponse(response: RecordedResponse): RecordedResponse {
    if (response.lost === true) return response;
    const { body, events } = response;
    return {
      ...response,
      ...(body !== undefined && { body: this.#inJson(body) }),
      ...(events !== undefined && {
        events: events.map((event): RecordedEvent =>
          event.data === undefined ? event : { ...event, data: this.#inJson(event.data) },
        ),
      }),
    };
  }

  #inJson(json: JsonValue): JsonValue {
    return mapStrings(json, (text, path) => {
      const member = path.at(-1) ?? '';
      if (path.at(-2) === 'status' && member === 'timestamp') return withoutTime(text);
      const name = member in KINDS || member === 'id' ? this.#names.get(text) : undefined;
      return name ?? this.#inText(text);
    });
  }

  /** Replaces only ids that look generated, because others may occur in a text by chance. */
  #inText(text: string): string {
    let renamed = text;
    for (const [id, name] of this.#names) if (looksMadeUp(id)) renamed = renamed.replaceAll(id, name);
    return renamed;
  }

  #name(id: string, kind: string): void {
    if (id === '' || id.startsWith('{{') || this.#names.has(id)) return;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    this.#names.set(id, `{{${kind}-${count}}}`);
  }
}

/**
 * Replaces a time by one fixed time, because the number of distinct times differs from run to run. The number of digits and the time
 * zone are kept, because they are properties of the peer.
 */
function withoutTime(text: string): string {
  return text.replace(TIME, (_, mark: string, fraction: string | undefined, zone: string) => {
    return `2026-01-01${mark}00:00:00${(fraction ?? '').replace(/\d/g, '0')}${zone}`;
  });
}

function contentsOf(response: RecordedResponse): readonly JsonValue[] {
  if (response.lost === true) return [];
  const { body, events = [] } = response;
  return [...(body === undefined ? [] : [body]), ...events.flatMap(({ data }) => data ?? [])];
}

function isId(member: string, text: string): boolean {
  return (member in KINDS || member === 'id') && looksMadeUp(text);
}

/** The kind of an id. A plain `id` is classified by the members next to it. */
function kindOf(member: string, parent: JsonValue): string {
  const kind = KINDS[member];
  if (kind !== undefined) return kind;
  if (!isObject(parent)) return 'id';
  return 'status' in parent ? 'task' : 'url' in parent ? 'config' : 'id';
}
