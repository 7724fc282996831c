import type { JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import type { Task } from '../../model/task.ts';
import type { OutputContent } from '../output/output.ts';

/**
 * How a call ended. `rejected`: the peer, or a limit, rejected it. `unreachable`: the peer could not be reached. `timed-out`: the
 * deadline passed, or the peer was idle for too long. `uncertain`: the peer may have received the message, but does not reveal its task.
 */
export type CallOutcome = 'completed' | 'failed' | 'rejected' | 'canceled' | 'unreachable' | 'timed-out' | 'uncertain';

/** The result of a call. */
export interface CallReply {
  /** How the call ended. */
  readonly outcome: CallOutcome;
  /** The text of the result: of the artifacts, the status or the message. If the call did not complete: the reason. */
  readonly text: string;
  /** The data of the artifact `result`, else the last data of the result; `undefined` if there is none. */
  readonly data: JsonValue | undefined;
  /** The task of the peer in the 1.0 format, without its history; `undefined` if the peer created none or does not reveal it. */
  readonly task: Task | undefined;
  /** The message of a peer that replied without a task. */
  readonly message: Message | undefined;
}

/** A question of the called agent, for a handler that answers it. */
export interface CallQuestion {
  /** The text of the question. */
  readonly text: string;
  /** The kind of the question, such as `confirm` or `choose`; `text` for free text. */
  readonly kind: string;
  /** The parts of the question, with its type and schema as data. */
  readonly parts: readonly Part[];
  /** The agents that the question passed, the one that asked it last. */
  readonly path: readonly string[];
}

/** Answers questions of the called agent. Called once per question; the answer is recorded like the result of a step. */
export type AnswerCallQuestion = (question: CallQuestion) => CallAnswer | Promise<CallAnswer>;

/** An answer: text, a truth value or a number, or content. */
export type CallAnswer = string | boolean | number | OutputContent;

/** Options of `ctx.call` and `ctx.startCall`. */
export interface CallOptions {
  /** Distinguishes calls to the same peer, in the journal and in traces. */
  readonly name?: string;
  /** The skill that the message is addressed to. Its input is the data of the message. */
  readonly skill?: string;
  /**
   * How long the handler waits, in milliseconds; until the call ends if not set. Then `CallError` is thrown with the outcome `pending`, and
   * the called agent continues.
   */
  readonly waitMs?: number;
  /** How long the called agent may take, in milliseconds. Then its task is canceled. The deadline of this task applies as well. */
  readonly deadlineMs?: number;
  /** How long the called agent may be silent, in milliseconds. Then its task is canceled. Time in which it waits for an answer does not count. */
  readonly idleMs?: number;
  /** Whether the call is canceled (the default) or continues when this task, or this turn, ends first. */
  readonly onParentEnd?: 'cancel' | 'leave';
  /**
   * The treatment of questions of the called agent. `forward` (the default): this task asks its caller. `fail`: the call fails.
   * A function answers them.
   */
  readonly questions?: 'forward' | 'fail' | AnswerCallQuestion;
  /** Publishes the status texts of the called agent as statuses of this task, at most one every 2 seconds. */
  readonly progress?: 'relay';
  /** Copies an artifact of the called agent into one of this task while it is written. */
  readonly relay?: {
    /** The name of the artifact in both tasks. */
    readonly artifact: string;
  };
  /** The identity that the called agent sees: the caller of this task with the chain of agents, or this agent. */
  readonly as?: 'caller' | 'agent';
  /** Whether an outcome other than `completed` is thrown; `true` if not set. */
  readonly throwOnFailure?: boolean;
  /** Cancels the call when it aborts. */
  readonly signal?: AbortSignal;
}

/** The message of a call: text, or content such as `{ data: … }` for a skill. */
export type CallMessage = string | OutputContent;

/** A call that was recorded. */
export interface Call {
  /** The id of the call, unique across all tasks. */
  readonly id: string;
  /** The peer, as the handler named it. */
  readonly peer: string;
  /**
   * Waits for the result.
   *
   * @throws CallError unless the call completes.
   */
  result(options?: Pick<CallOptions, 'waitMs' | 'throwOnFailure'>): Promise<CallReply>;
  /** Cancels the call. Its result then has the outcome `canceled`, unless it ends otherwise first. Resolves when the cancel is stored. */
  cancel(): Promise<void>;
  /** Lets the call continue after the end of this task, and delivers its result to the inbox if this task still runs. */
  detach(options: {
    /** Where the result goes. */
    readonly to: 'inbox';
  }): Promise<void>;
}

/** The signature of `ctx.call`. */
export type MakeCall = (peer: string, message: CallMessage, options?: CallOptions) => Promise<CallReply>;

/** The signature of `ctx.startCall`. */
export type StartCall = (
  peer: string,
  message: CallMessage,
  options?: Omit<CallOptions, 'waitMs' | 'throwOnFailure'>,
) => Promise<Call>;

/** Thrown for a call that did not complete. If the handler does not catch it, the task fails. */
export class CallError extends Error {
  override readonly name = 'CallError';
  /** How the call ended. `pending`: it has not ended; `waitMs` is over. */
  readonly outcome: Exclude<CallOutcome, 'completed'> | 'pending';
  /** The call; `undefined` if it was rejected before it was recorded. */
  readonly call: Call | undefined;
  /** The result, if there is one. */
  readonly reply: CallReply | undefined;

  /** Creates an error for a call. */
  constructor(
    message: string,
    outcome: CallError['outcome'],
    details: { readonly call?: Call | undefined; readonly reply?: CallReply | undefined } = {},
  ) {
    super(message);
    this.outcome = outcome;
    this.call = details.call;
    this.reply = details.reply;
  }
}
