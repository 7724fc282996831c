import { A2AError } from '../../errors.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { Input, OperationName, Output, StreamingOperation } from '../../model/operation.ts';
import { JsonShapeError, parseUntrustedJson } from '../../support/json/untrusted-json.ts';
import type { Decoded, Dialect } from '../../wire/dialect.ts';
import type { DecodeOptions } from '../../wire/decoder.ts';

/** The URL and the dialect of the interface that a binding works for. */
export interface BindingTarget {
  readonly url: string;
  readonly dialect: Dialect;
}

/** An operation encoded as an HTTP request, without the common headers. */
export interface EncodedCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: string | undefined;
}

/** The parts of a response that a binding reads. `json` is undefined if the body is not JSON. */
export interface JsonResponse {
  readonly status: number;
  readonly json: unknown;
}

/** Encodes requests and decodes responses of one binding. */
export interface Binding {
  encode<K extends OperationName>(target: BindingTarget, operation: K, input: Input<K>): EncodedCall;
  /** @throws A2AError with the error of the agent, or `INVALID_AGENT_RESPONSE`; NoAgent if no agent responded. */
  result<K extends OperationName>(
    target: BindingTarget,
    operation: K,
    response: JsonResponse,
    read: DecodeOptions,
  ): Decoded<Output<K>>;
  /** Decodes one item of a stream. @throws The errors of `result`. */
  item(
    target: BindingTarget,
    operation: StreamingOperation,
    json: unknown,
    read: DecodeOptions,
  ): Decoded<StreamResponse>;
}

/**
 * Parses the JSON of an agent; undefined if the text is not JSON. The number of values is not limited, because a page of small tasks
 * has many and the size of a response is limited anyway.
 *
 * @throws A2AError `INVALID_AGENT_RESPONSE` if the JSON is nested too deeply.
 */
export function parseJson(text: string): unknown {
  try {
    return parseUntrustedJson(text, Infinity);
  } catch (error) {
    if (error instanceof JsonShapeError) throw new A2AError('INVALID_AGENT_RESPONSE', `The JSON ${error.message}`);
    return undefined;
  }
}

export function notJson(status: number, contentType: string | undefined): A2AError {
  const type = contentType === undefined ? 'no content type' : `content type ${contentType.slice(0, 100)}`;
  return new A2AError(
    'INVALID_AGENT_RESPONSE',
    `Expected JSON, but the agent responded with ${status} and a body that is not JSON (${type})`,
  );
}
