import type { JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Input, OperationName } from '../../model/operation.ts';
import { textOfParts } from '../../model/part-text.ts';
import { isObject } from '../../wire/codec.ts';
import type { LoopbackRequest } from '../loopback-server.ts';
import type { Asked } from './faults.ts';
import type { ReadRequest } from './peer-binding.ts';

/** A request that a fake peer received. */
export interface PeerRequest {
  /** The operation, or `card`. Undefined if the request is invalid. */
  readonly operation: Asked | undefined;
  /** The HTTP method. */
  readonly method: string;
  /** The path, percent-encoded, without the query. */
  readonly path: string;
  /** The query without the question mark. */
  readonly query: string;
  /** The headers; names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON, or as text if it is not JSON. Undefined if it is empty. */
  readonly body: JsonValue | undefined;
  /** The params of the operation in the 1.0 format, whatever version the caller uses. */
  readonly input: Input<OperationName> | undefined;
  /** The id of the message, if the request has one. Messages before 0.2 have no id. */
  readonly messageId: string | undefined;
  /** The id of the task that the request names. */
  readonly taskId: string | undefined;
  /** The text of the message, if the request has one. */
  readonly text: string | undefined;
  /** Whether the peer processed the request, even if the response was lost. */
  readonly acted: boolean;
}

/** The requests in the order in which they arrived. */
export class RequestLog {
  readonly #entries: { -readonly [K in keyof PeerRequest]: PeerRequest[K] }[] = [];
  readonly #processed = new Map<string, { readonly name: string; times: number }>();

  get requests(): readonly PeerRequest[] {
    return [...this.#entries];
  }

  /** The messages that the peer processed more than once. */
  get doubleSends(): readonly string[] {
    return [...this.#processed.values()].filter(({ times }) => times > 1).map(({ name }) => name);
  }

  /** Adds a request. Call the returned function when the peer processes it. */
  add(request: LoopbackRequest, operation: Asked | undefined, read: ReadRequest | undefined): () => void {
    const { method, path, query, headers } = request;
    const body = parsed(request.body);
    const input = read?.input;
    const message = input !== undefined && 'message' in input ? input.message : undefined;
    const messageId = read?.dialect.clientNamesTasks === true ? undefined : message?.messageId;
    const taskId = message === undefined ? taskOf(operation, input) : message.taskId;
    const text = message && textOfParts(message.parts);
    const entry = { operation, method, path, query, headers, body, input, messageId, taskId, text, acted: false };
    this.#entries.push(entry);
    return () => {
      entry.acted = true;
      if (message !== undefined) this.#count(message, messageId);
    };
  }

  /** In 0.1 equal parts for the same task count as the same message. */
  #count(message: Message, messageId: string | undefined): void {
    const name = messageId ?? message.taskId ?? message.messageId;
    const key = messageId ?? `${message.taskId} ${JSON.stringify(message.parts)}`;
    const known = this.#processed.get(key);
    if (known === undefined) this.#processed.set(key, { name, times: 1 });
    else known.times += 1;
  }
}

/** The key by which a repeated message is recognised. */
export function repeatKey({ headers }: LoopbackRequest, { dialect, input }: ReadRequest): string | undefined {
  if (input === undefined || !('message' in input)) return undefined;
  const { messageId, taskId, parts } = input.message;
  if (headers['idempotency-key'] !== undefined) return `key ${headers['idempotency-key']}`;
  return dialect.clientNamesTasks ? `${taskId} ${JSON.stringify(parts)}` : messageId;
}

function taskOf(operation: Asked | undefined, input: Input<OperationName> | undefined): string | undefined {
  if (!isObject(input)) return undefined;
  const { id, taskId } = input as { readonly id?: string; readonly taskId?: string };
  return operation === 'GetTask' || operation === 'CancelTask' || operation === 'SubscribeToTask' ? id : taskId;
}

function parsed(body: string): JsonValue | undefined {
  if (body === '') return undefined;
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    return body;
  }
}
