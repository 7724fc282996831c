import { A2AError } from '../errors.ts';
import type { StreamResponse } from '../model/event.ts';
import type { Input, OperationName, Output, StreamingOperation } from '../model/operation.ts';
import { JsonShapeError, parseForeignJson } from '../support/foreign-json.ts';
import type { Decoded } from '../wire/dialect.ts';
import type { ReadOptions } from '../wire/reader.ts';
import type { Endpoint } from './endpoint.ts';
import { restBinding } from './rest-binding.ts';
import { rpcBinding } from './rpc-binding.ts';

/** What an operation is as a request, before the headers that all requests have. */
export interface EncodedCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: string | undefined;
}

/** What a binding gets to see of an answer. `json` is undefined if the body is none. */
export interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** How operations look over one binding, for a client. */
export interface Binding {
  encode<K extends OperationName>(endpoint: Endpoint, operation: K, input: Input<K>): EncodedCall;
  /** @throws A2AError that the agent answered with, or `INVALID_AGENT_RESPONSE`; NotHere if no agent answered. */
  result<K extends OperationName>(
    endpoint: Endpoint,
    operation: K,
    answer: Answer,
    read: ReadOptions,
  ): Decoded<Output<K>>;
  /** One item of a stream. @throws as `result` does. */
  item(endpoint: Endpoint, operation: StreamingOperation, json: unknown, read: ReadOptions): Decoded<StreamResponse>;
}

const BY_NAME = { JSONRPC: rpcBinding, 'HTTP+JSON': restBinding } as const;

export function bindingOf({ binding }: Endpoint): Binding {
  return BY_NAME[binding];
}

/**
 * What an agent sent, or `undefined` if it is not JSON. The number of its values has no bound of its own: a page of small
 * tasks has many, and the size of a response is bounded.
 *
 * @throws A2AError `INVALID_AGENT_RESPONSE` if it nests too deeply to be read.
 */
export function parseJson(text: string): unknown {
  try {
    return parseForeignJson(text, Infinity);
  } catch (error) {
    if (error instanceof JsonShapeError) throw new A2AError('INVALID_AGENT_RESPONSE', `The JSON ${error.message}`);
    return undefined;
  }
}

export function notJson(status: number, contentType: string | undefined): A2AError {
  const type = contentType === undefined ? 'without a content type' : `as ${contentType.slice(0, 100)}`;
  return new A2AError('INVALID_AGENT_RESPONSE', `The agent answered ${status} ${type}, and not with JSON`);
}
