import { PAGE_BYTES } from '../../engine/tasks/task-page.ts';
import { type BytesHold, UNCOUNTED_BYTES } from '../../host/limits/bytes-in-flight.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';
import type { RequestContext } from '../../host/request-context.ts';
import type { JsonObject } from '../../model/json.ts';
import { isStreaming, type OperationName } from '../../model/operation.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import type { DecodeOptions } from '../../wire/decoder.ts';
import { decodeParams, type Dialect, operationCodec } from '../../wire/dialect.ts';
import { ResultText, type StreamingOperation, type TaskEvents, type UnaryOperation } from './operation.ts';
import { streaming, unary } from './operations.ts';

/** The outcome of an operation: its result as JSON in the dialect of the caller, or the events of a stream. */
export type OperationResult =
  | {
      readonly text: string;
      /** Counts a large result until it is sent. */
      readonly hold?: BytesHold | undefined;
      readonly isNothing: boolean;
      /** Headers that replace those of other responses. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  | {
      readonly events: TaskEvents;
      /** Must be called when the stream ends, for any reason. */
      readonly onEnd: () => void;
    };

/** The types of inputs and outputs are those of the name that an operation is found by. */
type AnyUnary = UnaryOperation<unknown, unknown>;
type AnyStreaming = StreamingOperation<unknown>;

/**
 * The common part of all bindings: decodes the params in the dialect of the caller, performs the operation, and encodes the result in the
 * same dialect.
 *
 * @param asStream Returns the events of a task instead of the task.
 * @throws A2AError for errors of the caller; any other error for failures of the server.
 */
export function performOperation(
  mounted: MountedAgent,
  context: RequestContext,
  name: OperationName,
  params: unknown,
  asStream = false,
): Promise<OperationResult> {
  const { observer } = mounted;
  if (observer === undefined) return perform(mounted, context, name, params, asStream);
  return observer.observe(context, name, params, async () => perform(mounted, context, name, params, asStream));
}

/** Not an async function, because each of them delays every request. */
function perform(
  mounted: MountedAgent,
  context: RequestContext,
  name: OperationName,
  params: unknown,
  asStream: boolean,
): Promise<OperationResult> {
  const { dialect } = context;
  const { limits, deviations } = mounted.host;
  const { value: input, warnings } = decodeParams(dialect, name, params, readingOf(mounted, dialect));
  // Clients of a profile deviate as expected.
  if (warnings.length > 0 && dialect.profile === undefined) deviations.log(context, name, warnings);
  if (isStreaming(name)) {
    const operation = streaming[name] as AnyStreaming;
    operation.check?.(limits.settings, input);
    return openStream(mounted, context, operation, input);
  }
  const operation = unary[name] as AnyUnary;
  operation.check?.(limits.settings, input);
  if (asStream && operation.asStream !== undefined) {
    return openStream(mounted, context, operation.asStream, input).then(({ events, onEnd }) => ({
      events: { ...events, beginsWithEvents: true },
      onEnd,
    }));
  }
  const run = dialect.isModel === true ? (operation.runAsText ?? operation.run) : operation.run;
  const done = run(mounted, context, input);
  const { complete } = operation;
  if (complete === undefined) return done.then((output) => unaryResult(mounted, context, name, params, output));
  return done.then(async (output) => {
    const json = operationCodec(dialect, name).result.encode(output as never) as JsonObject;
    const text = JSON.stringify(await complete(mounted, json));
    return countedResult(mounted, context, text, operation.headers?.(mounted));
  });
}

/** How the params of a request are decoded. `strict` does not apply to profiles, because their clients deviate from the protocol. */
export function readingOf({ host: { limits } }: MountedAgent, { profile }: Dialect): DecodeOptions | undefined {
  return profile === undefined ? limits.reading : limits.profileReading;
}

async function openStream(
  mounted: MountedAgent,
  context: RequestContext,
  { run, taskOf }: AnyStreaming,
  input: unknown,
): Promise<Extract<OperationResult, { events: unknown }>> {
  const { caller, remoteAddress, isLocal } = context;
  const { id, tenant = '' } = taskOf?.(input) ?? {};
  const task = id === undefined ? undefined : JSON.stringify([caller.id, tenant, id]);
  const onEnd = mounted.host.limits.streams.open({ caller, remoteAddress, isLocal, task });
  try {
    return { events: await run(mounted, context, input), onEnd };
  } catch (error) {
    onEnd();
    throw error;
  }
}

/**
 * Encodes a result as JSON, and counts it if it is large. For a caller with other responses in flight an estimate is counted before
 * the result is encoded, because hundreds of requests may get the same large result at the same time.
 *
 * @throws A2AError `RATE_LIMIT_EXCEEDED` or `UNAVAILABLE` if there is no room for it.
 */
function unaryResult(
  mounted: MountedAgent,
  context: RequestContext,
  name: OperationName,
  params: unknown,
  output: unknown,
): OperationResult {
  const { responses } = mounted.host.limits;
  const { undelivered, shorten } = unary[name as keyof typeof unary] as AnyUnary;
  const estimate = responses.isHolding(context) ? sizeOf(output) : 0;
  let hold = isCounted(context, estimate) ? responses.open(context) : undefined;
  let rejection = hold?.take(estimate);
  let text = '';
  try {
    if (rejection === undefined) text = textOf(context, name, output, shorten);
  } catch (error) {
    hold?.release();
    throw error;
  }
  if (hold === undefined && isCounted(context, text.length)) {
    hold = responses.open(context);
    rejection = hold.take(text.length);
  }
  if (rejection !== undefined) {
    const { deduplicateByMessageId } = mounted;
    throw undelivered?.(rejection, context, { params, output, deduplicateByMessageId }) ?? rejection;
  }
  return { text, hold, isNothing: output === null };
}

/** @throws A2AError `RATE_LIMIT_EXCEEDED` or `UNAVAILABLE` if there is no room for it. */
function countedResult(
  { host }: MountedAgent,
  context: RequestContext,
  text: string,
  headers: Readonly<Record<string, string>> | undefined,
): OperationResult {
  const hold = isCounted(context, text.length) ? host.limits.responses.open(context) : undefined;
  const rejection = hold?.take(text.length);
  if (rejection !== undefined) throw rejection;
  return { text, hold, isNothing: false, headers };
}

/** Small results are not counted, nor results for an edge that does not release them. */
function isCounted({ releasesHold }: RequestContext, size: number): boolean {
  return size > UNCOUNTED_BYTES && releasesHold;
}

function sizeOf(output: unknown): number {
  return output instanceof ResultText ? output.text.length : jsonSize(output);
}

/** The result as JSON. If it is longer than a page, the oldest messages of a task are left out. */
function textOf(
  { dialect }: RequestContext,
  name: OperationName,
  output: unknown,
  shorten: AnyUnary['shorten'],
): string {
  if (output instanceof ResultText) return output.text;
  const { result } = operationCodec(dialect, name);
  const text = JSON.stringify(result.encode(output as never) ?? null);
  if (text.length <= PAGE_BYTES || shorten === undefined) return text;
  const shorter = shorten(output);
  return shorter === output ? text : JSON.stringify(result.encode(shorter as never));
}
