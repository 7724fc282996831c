import { PAGE_BYTES, withinPage } from '../engine/task-page.ts';
import type { JsonObject } from '../model/json.ts';
import {
  isStreaming,
  type OperationName,
  type SendMessageRequest,
  type SendMessageResponse,
  type SubscribeToTaskRequest,
} from '../model/operation.ts';
import type { Task } from '../model/task.ts';
import { jsonSize } from '../support/json-size.ts';
import { decodeParams, type Dialect, operationCodec } from '../wire/dialect.ts';
import type { ReadOptions } from '../wire/reader.ts';
import type { HttpRequest } from './http.ts';
import type { HttpCall } from './http-call.ts';
import { type BytesHold, UNCOUNTED_BYTES } from './limits/bytes-in-flight.ts';
import { assertModest } from './limits/content.ts';
import { streaming, unary } from './operations.ts';
import type { TaskEvents } from './send-operations.ts';
import type { Service } from './service.ts';
import { undelivered } from './undelivered.ts';

/** What an operation came to: its result as JSON in the dialect of the caller, or the events of a stream. */
export type Outcome =
  | {
      readonly text: string;
      /** Counts a large result until it is sent. */
      readonly hold?: BytesHold | undefined;
      /** There is nothing to tell but that it was done. */
      readonly isNothing: boolean;
      /** In the place of those that answers have. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly events: TaskEvents;
      /** To be called when the stream is over, however it ends. */ readonly onEnd: () => void;
    };

export interface CallOptions {
  /** Gives what happens to a task where the task is asked for. */
  readonly asStream?: boolean;
}

/**
 * What all bindings do between their request and their response: reads the params in the dialect of the call, does what
 * is asked, and writes the result in the same dialect.
 *
 * @throws A2AError for what the caller got wrong; anything else for what went wrong here.
 */
export function callOperation(
  service: Service,
  call: HttpCall,
  operation: OperationName,
  params: unknown,
  options: CallOptions = {},
): Promise<Outcome> {
  const { watch } = service;
  if (watch === undefined) return perform(service, call, operation, params, options);
  return watch.see(call, operation, params, () => perform(service, call, operation, params, options));
}

async function perform(
  service: Service,
  call: HttpCall,
  operation: OperationName,
  params: unknown,
  { asStream = false }: CallOptions,
): Promise<Outcome> {
  const { dialect } = call;
  const { value: input, warnings } = decodeParams(dialect, operation, params, readingOf(service, dialect));
  // The peers of a profile deviate as expected.
  if (warnings.length > 0 && dialect.profile === undefined) service.deviations.log(call, operation, warnings);
  if (operation === 'SendMessage' || operation === 'SendStreamingMessage') {
    assertModest(service.limits.settings, input as SendMessageRequest);
  }
  if (isStreaming(operation) || asStream) {
    const isSend = operation === 'SendStreamingMessage';
    const run = streaming[isSend ? operation : 'SubscribeToTask'];
    const { caller, remoteAddress, isLocal } = call;
    const task = isSend ? undefined : taskKey(call, input as SubscribeToTaskRequest);
    const onEnd = service.limits.streams.open({ caller, remoteAddress, isLocal, task });
    try {
      const events = await run(service, call, input as never);
      return { events: asStream ? { ...events, beginsWithEvents: true } : events, onEnd };
    } catch (error) {
      onEnd();
      throw error;
    }
  }
  const run = unary[operation] as (service: Service, call: HttpCall, input: unknown) => Promise<unknown>;
  const output = await run(service, call, input);
  if (operation !== 'GetExtendedAgentCard') return unaryOutcome(service, call, operation, params, output);
  return extendedCard(service, call, operationCodec(dialect, operation).result.encode(output as never) as JsonObject);
}

/** How the params of a request are read. The peers of a profile deviate from the protocol, so `strict` is not for them. */
export function readingOf({ limits }: Service, { profile }: Dialect): ReadOptions | undefined {
  return profile === undefined ? limits.reading : limits.profileReading;
}

/**
 * Writes a result as JSON, and counts it if it is large. For a caller that has other responses in flight this is decided by
 * an estimate, before the result is written: hundreds of requests may get the same large result at the same moment.
 *
 * @throws A2AError `RATE_LIMIT_EXCEEDED` or `UNAVAILABLE` if there is no room for it.
 */
function unaryOutcome(
  service: Service,
  call: HttpCall,
  operation: OperationName,
  params: unknown,
  output: unknown,
): Outcome {
  const { responses } = service.limits;
  const { request } = call;
  const estimate = responses.isHolding(request) ? jsonSize(output) : 0;
  let hold = isCounted(request, estimate) ? responses.open(request) : undefined;
  let refusal = hold?.take(estimate);
  let text = '';
  try {
    if (refusal === undefined) text = textOf(call, operation, output);
  } catch (error) {
    hold?.release();
    throw error;
  }
  if (hold === undefined && isCounted(request, text.length)) {
    hold = responses.open(request);
    refusal = hold.take(text.length);
  }
  if (refusal !== undefined) {
    const { deduplicateByMessageId } = service;
    throw undelivered(refusal, call, { operation, params, output, deduplicateByMessageId });
  }
  return { text, hold, isNothing: output === null };
}

/** Small results are not counted, nor those for an edge that would not release them. */
function isCounted(request: HttpRequest, size: number): boolean {
  return size > UNCOUNTED_BYTES && request.releasesHold === true;
}

/** The result as JSON, without the oldest messages of a task if it would be longer than a page. */
function textOf({ dialect }: HttpCall, operation: OperationName, output: unknown): string {
  const { result } = operationCodec(dialect, operation);
  const text = JSON.stringify(result.encode(output as never) ?? null);
  if (text.length <= PAGE_BYTES) return text;
  const shorter = shortened(operation, output);
  return shorter === output ? text : JSON.stringify(result.encode(shorter as never));
}

function shortened(operation: OperationName, output: unknown): unknown {
  if (operation === 'GetTask' || operation === 'CancelTask') return withinPage(output as Task);
  const sent = operation === 'SendMessage' ? (output as SendMessageResponse) : undefined;
  if (sent === undefined || !('task' in sent)) return output;
  const task = withinPage(sent.task);
  return task === sent.task ? output : { task };
}

function taskKey({ caller }: HttpCall, { id, tenant = '' }: SubscribeToTaskRequest): string {
  return JSON.stringify([caller.id, tenant, id]);
}

/** @throws A2AError `RATE_LIMIT_EXCEEDED` or `UNAVAILABLE` if there is no room for it. */
async function extendedCard(
  { extendedCards, limits }: Service,
  { request }: HttpCall,
  json: JsonObject,
): Promise<Outcome> {
  const text = JSON.stringify(extendedCards === undefined ? json : await extendedCards.signed(json));
  const hold = isCounted(request, text.length) ? limits.responses.open(request) : undefined;
  const refusal = hold?.take(text.length);
  if (refusal !== undefined) throw refusal;
  return { text, hold, isNothing: false, ...(extendedCards && { headers: extendedCards.headers }) };
}
