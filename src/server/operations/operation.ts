import type { StreamItem } from '../../engine/stream/subscribe.ts';
import type { A2AError } from '../../errors.ts';
import type { LimitSettings } from '../../host/limits/limit-settings.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';
import type { RequestContext } from '../../host/request-context.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Input, OperationName, Output } from '../../model/operation.ts';
import type { Task } from '../../model/task.ts';

/** The result of a streaming operation, before it is encoded in a dialect. */
export interface TaskEvents {
  /** Items that were already taken from `items`. */
  readonly first?: readonly StreamItem[];
  /** The events in batches. Can be iterated once. */
  readonly items: AsyncIterable<readonly StreamItem[]>;
  /** The name that the caller chose for the task, if any. */
  readonly alias: string | undefined;
  /** The number of messages to include in the first task. */
  readonly historyLength: number | undefined;
  /** Whether the stream ends when the task asks a question. */
  readonly endsAtQuestion: boolean;
  /** For a resumed stream: the task as the caller has already seen it. */
  readonly seen?: Task;
  /** Whether the initial task is sent as events instead of a snapshot. */
  readonly beginsWithEvents?: boolean;
  /**
   * Runs after the last event, before the response ends, so that the process stays awake for it. Can be called more than once.
   */
  readonly afterwards?: () => Promise<void>;
}

/** Performs an operation with one response. Checks permissions and ownership itself, so that no binding can omit it. */
export type Perform<K extends OperationName> = Run<Input<K>, Output<K>>;

/** Like `Perform`, for the dialect whose format is the model: may return the text of the result. */
export type PerformAsText<K extends OperationName> = Run<Input<K>, Output<K> | ResultText>;

/** Performs an operation with a stream of events. */
export type Stream<K extends OperationName> = Run<Input<K>, TaskEvents>;

type Run<Input, Result> = (mounted: MountedAgent, context: RequestContext, input: Input) => Promise<Result>;

/** A completed operation whose result cannot be sent. */
export interface DoneOperation<Output> {
  readonly params: unknown;
  readonly output: Output;
  readonly deduplicateByMessageId: boolean;
}

/** A result that is already encoded. */
export class ResultText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An operation with one response. */
export interface UnaryOperation<Input, Output> {
  readonly run: Run<Input, Output>;
  /** See `PerformAsText`. */
  readonly runAsText?: Run<Input, Output | ResultText>;
  /** Checks the input first. @throws A2AError if it exceeds a limit. */
  readonly check?: (limits: LimitSettings, input: Input) => void;
  /** A shorter form of a result that is longer than a page; the result itself if there is none. */
  readonly shorten?: (output: Output) => Output;
  /** The error in place of a result that is not sent because too many bytes wait to be sent. */
  readonly undelivered?: (
    error: A2AError,
    context: Pick<RequestContext, 'caller' | 'idempotencyKey'>,
    done: DoneOperation<Output>,
  ) => A2AError;
  /** Completes the encoded result. */
  readonly complete?: (mounted: MountedAgent, json: JsonObject) => Promise<JsonObject>;
  /** Headers that replace those of other responses. */
  readonly headers?: (mounted: MountedAgent) => Readonly<Record<string, string>> | undefined;
  /** The operation that returns the events of the task instead, if the dialect asks for them. */
  readonly asStream?: StreamingOperation<Input>;
}

/** An operation with a stream of events. */
export interface StreamingOperation<Input> {
  readonly run: Run<Input, TaskEvents>;
  readonly check?: (limits: LimitSettings, input: Input) => void;
  /** The task that a subscription is for. */
  readonly taskOf?: (input: Input) => { readonly id: string; readonly tenant?: string };
}
