import type { JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Input, OperationName } from '../../model/operation.ts';
import { textOfParts } from '../../model/part-text.ts';
import { isObject } from '../../wire/codec.ts';
import type { WholeRequest } from '../loopback-server.ts';
import type { Asked } from './faults.ts';
import type { ReadRequest } from './peer-binding.ts';

/** A request as a fake peer got it. */
export interface PeerRequest {
  /** `undefined` if the peer did not understand it. */
  readonly operation: Asked | undefined;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What was in the body: JSON, or else the text. */
  readonly body: JsonValue | undefined;
  /** The params of the operation in the words of 1.0, whatever version they came in. */
  readonly input: Input<OperationName> | undefined;
  /** Of a message. Before 0.2 messages have none. */
  readonly messageId: string | undefined;
  /** The task that the request names. */
  readonly taskId: string | undefined;
  /** What a message says. */
  readonly text: string | undefined;
  /** Whether the peer did what it was asked to, be the answer lost or not. */
  readonly acted: boolean;
}

/** The requests in the order in which they came. */
export class RequestLog {
  readonly #entries: { -readonly [K in keyof PeerRequest]: PeerRequest[K] }[] = [];
  readonly #acts = new Map<string, { readonly name: string; times: number }>();

  get requests(): readonly PeerRequest[] {
    return [...this.#entries];
  }

  /** The messages on which the peer acted more than once. */
  get doubleSends(): readonly string[] {
    return [...this.#acts.values()].filter(({ times }) => times > 1).map(({ name }) => name);
  }

  /** Notes a request. The function that comes back notes that the peer acts on it. */
  add(request: WholeRequest, operation: Asked | undefined, read: ReadRequest | undefined): () => void {
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

  /** In 0.1 the same words to the same task count as the same message. */
  #count(message: Message, messageId: string | undefined): void {
    const name = messageId ?? message.taskId ?? message.messageId;
    const key = messageId ?? `${message.taskId} ${JSON.stringify(message.parts)}`;
    const known = this.#acts.get(key);
    if (known === undefined) this.#acts.set(key, { name, times: 1 });
    else known.times += 1;
  }
}

/** What tells a message that was sent before. */
export function repeatKey({ headers }: WholeRequest, { dialect, input }: ReadRequest): string | undefined {
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
