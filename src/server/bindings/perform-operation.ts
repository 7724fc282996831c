import { PAGE_BYTES, withinPage } from '../../engine/tasks/task-page.ts';
import type { JsonObject } from '../../model/json.ts';
import {
  isStreaming,
  type OperationName,
  type SendMessageRequest,
  type SendMessageResponse,
  type SubscribeToTaskRequest,
} from '../../model/operation.ts';
import type { Task } from '../../model/task.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import { decodeParams, type Dialect, operationCodec } from '../../wire/dialect.ts';
import type { DecodeOptions } from '../../wire/decoder.ts';
import type { HttpRequest } from '../../host/http.ts';
import type { HttpContext } from './http-context.ts';
import { type BytesHold, UNCOUNTED_BYTES } from '../../host/limits/bytes-in-flight.ts';
import { assertWithinLimits } from '../../host/limits/content.ts';
import { streaming, unary } from '../operations/operations.ts';
import type { TaskEvents } from './event-frames.ts';
import type { Service } from '../service.ts';
import { undelivered } from './undelivered.ts';

/** The outcome of an operation: its result as JSON in the dialect of the caller, or the events of a stream. */
export type OperationResult =
  | {
      readonly text: string;
      /** Counts a large result until it is sent. */
      readonly hold?: BytesHold | undefined;
      readonly isNothing: boolean;
      /** Headers that replace those of other responses. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly events: TaskEvents;
      /** Must be called when the stream ends, for any reason. */
      readonly onEnd: () => void;
    };

export interface PerformOptions {
  /** Returns the events of a task instead of the task. */
  readonly asStream?: boolean;
}

/**
 * The common part of all bindings: decodes the params in the dialect of the caller, performs the operation, and encodes the result in the
 * same dialect.
 *
 * @throws A2AError for errors of the caller; any other error for failures of the server.
 */
export function performOperation(
  service: Service,
  context: HttpContext,
  operation: OperationName,
  params: unknown,
  options: PerformOptions = {},
): Promise<OperationResult> {
  const { observer } = service;
  if (observer === undefined) return perform(service, context, operation, params, options);
  return observer.observe(context, operation, params, () => perform(service, context, operation, params, options));
}

async function perform(
  service: Service,
  context: HttpContext,
  operation: OperationName,
  params: unknown,
  { asStream = false }: PerformOptions,
): Promise<OperationResult> {
  const { dialect } = context;
  const { value: input, warnings } = decodeParams(dialect, operation, params, readingOf(service, dialect));
  // Clients of a profile deviate as expected.
  if (warnings.length > 0 && dialect.profile === undefined) service.deviations.log(context, operation, warnings);
  if (operation === 'SendMessage' || operation === 'SendStreamingMessage') {
    assertWithinLimits(service.limits.settings, input as SendMessageRequest);
  }
  if (isStreaming(operation) || asStream) {
    const isSend = operation === 'SendStreamingMessage';
    const run = streaming[isSend ? operation : 'SubscribeToTask'];
    const { caller, remoteAddress, isLocal } = context;
    const task = isSend ? undefined : taskKey(context, input as SubscribeToTaskRequest);
    const onEnd = service.limits.streams.open({ caller, remoteAddress, isLocal, task });
    try {
      const events = await run(service, context, input as never);
      return { events: asStream ? { ...events, beginsWithEvents: true } : events, onEnd };
    } catch (error) {
      onEnd();
      throw error;
    }
  }
  const run = unary[operation] as (service: Service, context: HttpContext, input: unknown) => Promise<unknown>;
  const output = await run(service, context, input);
  if (operation !== 'GetExtendedAgentCard') return unaryResult(service, context, operation, params, output);
  return extendedCard(
    service,
    context,
    operationCodec(dialect, operation).result.encode(output as never) as JsonObject,
  );
}

/** How the params of a request are decoded. `strict` does not apply to profiles, because their clients deviate from the protocol. */
export function readingOf({ limits }: Service, { profile }: Dialect): DecodeOptions | undefined {
  return profile === undefined ? limits.reading : limits.profileReading;
}

/**
 * Encodes a result as JSON, and counts it if it is large. For a caller with other responses in flight an estimate is counted before
 * the result is encoded, because hundreds of requests may get the same large result at the same time.
 *
 * @throws A2AError `RATE_LIMIT_EXCEEDED` or `UNAVAILABLE` if there is no room for it.
 */
function unaryResult(
  service: Service,
  context: HttpContext,
  operation: OperationName,
  params: unknown,
  output: unknown,
): OperationResult {
  const { responses } = service.limits;
  const { request } = context;
  const estimate = responses.isHolding(request) ? jsonSize(output) : 0;
  let hold = isCounted(request, estimate) ? responses.open(request) : undefined;
  let rejection = hold?.take(estimate);
  let text = '';
  try {
    if (rejection === undefined) text = textOf(context, operation, output);
  } catch (error) {
    hold?.release();
    throw error;
  }
  if (hold === undefined && isCounted(request, text.length)) {
    hold = responses.open(request);
    rejection = hold.take(text.length);
  }
  if (rejection !== undefined) {
    const { deduplicateByMessageId } = service;
    throw undelivered(rejection, context, { operation, params, output, deduplicateByMessageId });
  }
  return { text, hold, isNothing: output === null };
}

/** Small results are not counted, nor results for an edge that does not release them. */
function isCounted(request: HttpRequest, size: number): boolean {
  return size > UNCOUNTED_BYTES && request.releasesHold === true;
}

/** The result as JSON. If it is longer than a page, the oldest messages of a task are left out. */
function textOf({ dialect }: HttpContext, operation: OperationName, output: unknown): string {
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

function taskKey({ caller }: HttpContext, { id, tenant = '' }: SubscribeToTaskRequest): string {
  return JSON.stringify([caller.id, tenant, id]);
}

/** @throws A2AError `RATE_LIMIT_EXCEEDED` or `UNAVAILABLE` if there is no room for it. */
async function extendedCard(
  { extendedCards, limits }: Service,
  { request }: HttpContext,
  json: JsonObject,
): Promise<OperationResult> {
  const text = JSON.stringify(extendedCards === undefined ? json : await extendedCards.signed(json));
  const hold = isCounted(request, text.length) ? limits.responses.open(request) : undefined;
  const rejection = hold?.take(text.length);
  if (rejection !== undefined) throw rejection;
  return { text, hold, isNothing: false, ...(extendedCards && { headers: extendedCards.headers }) };
}
