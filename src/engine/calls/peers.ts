import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Task } from '../../model/task.ts';
import type { TraceContext } from '../../observe/trace-context.ts';
import type { Caller } from '../handler.ts';

/** The agents that handlers can call, besides the agents of the same host. */
export interface Peers {
  /**
   * Finds a peer by its configured id or by URL. Returns `undefined` if this node does not know it: another node of the same store may.
   * Sends no request.
   */
  find(reference: string): Peer | undefined;
}

/**
 * An agent on another host. All methods are attempts: the engine retries, and calls them again after a crash. They reject with a
 * `PeerError`, or with any other error for a bug.
 */
export interface Peer {
  /** The name in paths and errors that callers see. */
  readonly name: string;
  /** Sends the message of a call without waiting for its task to end. Called at most once per call, unless `PeerError.isUnsent`. */
  start(call: PeerCall, signal: AbortSignal): Promise<PeerState>;
  /**
   * Called instead of `start` if an earlier attempt may have sent the message: finds its task, or sends the message again if the
   * peer recognises repeats. Returns `undefined` if the peer does not reveal it, so that the outcome of the call is uncertain.
   *
   * @param sentAt When the first attempt began.
   */
  attach(call: PeerCall, sentAt: number, signal: AbortSignal): Promise<PeerState | undefined>;
  /** Returns the task of a call as it is now. */
  get(call: PeerCall, taskId: string, signal: AbortSignal): Promise<PeerState>;
  /**
   * Follows the task of a call until it ends, asks a question, or the peer closes the stream. `undefined` if the peer has no streams.
   *
   * @param after The number of the last event that was seen, if the peer numbers its events.
   */
  follow?(
    call: PeerCall,
    taskId: string,
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncIterable<PeerUpdate> | undefined;
  /** Sends the answer to a question of the task. Repeats have the same `messageId` and key. */
  answer(call: PeerCall, taskId: string, answer: PeerAnswer, signal: AbortSignal): Promise<PeerState>;
  /** Asks the peer to cancel the task. Returns the task as it is then: it may have ended otherwise. */
  cancel(call: PeerCall, taskId: string, signal: AbortSignal): Promise<PeerState>;
}

/** A call as it was recorded. Each attempt sends the same message; only credentials and trace headers are new. */
export interface PeerCall {
  /** The id of the call, unique across all tasks. It is also its idempotency key. */
  readonly id: string;
  /** The message, with its id and the context id of the call. */
  readonly message: Message;
  /** The metadata of the request. */
  readonly metadata?: JsonObject;
  /** The skill that the message is addressed to, if it names one. */
  readonly skillId?: string;
  /** When the child is canceled, in milliseconds since 1970. */
  readonly deadline?: number;
  /** The identity to present: that of the agent, or that of the root caller with the chain of agents. */
  readonly as: 'agent' | 'caller' | undefined;
  /** The caller that started the root task. */
  readonly caller: Caller;
  /** Where the call comes from. Sent to peers that declare the extension. */
  readonly lineage: Lineage;
  /** The trace context of the attempt, if there is one. */
  readonly trace: TraceContext | undefined;
}

/** Where a task comes from. From a remote caller it is a claim that only narrows limits. */
export interface Lineage {
  /** The id of the task at the root. */
  readonly root: string;
  /** The id of the calling task. */
  readonly parent: string;
  /** How many calls lead to this one: 1 for a call of the root task. */
  readonly depth: number;
  /** The agents from the root to the calling one. `internal` for agents without a public card. */
  readonly path: readonly string[];
  /** When the task is canceled, in milliseconds since 1970. */
  readonly deadline?: number;
}

/** An answer to a question of a child. */
export interface PeerAnswer {
  /** The id of the question: the `messageId` of the status that asks it. */
  readonly questionId: string | undefined;
  /** The answer, with a message id of its own, which is the same for each attempt. */
  readonly message: Message;
}

/** The result of a request to a peer. */
export type PeerState =
  /** The peer has replied without a task. */
  | { readonly kind: 'message'; readonly message: Message }
  /** The task in the 1.0 format. */
  | { readonly kind: 'task'; readonly task: Task };

/** News of a task that is followed. */
export type PeerUpdate =
  /** The task has ended or asks a question. */
  | { readonly kind: 'settled'; readonly state: PeerState }
  /** The task works. */
  | { readonly kind: 'progress'; readonly text: string; readonly path?: readonly string[]; readonly event?: number }
  /** A chunk of an artifact. */
  | {
      readonly kind: 'artifact';
      /** The name of the artifact, or its id if it has none. */
      readonly name: string;
      readonly parts: Message['parts'];
      /** Whether it continues the artifact; otherwise it replaces it. */
      readonly append: boolean;
      readonly event?: number;
    };

/** A request to a peer that failed. */
export class PeerError extends Error {
  override readonly name = 'PeerError';
  /**
   * `unreachable`: try again. `rejected`: the peer rejects the request and would do so again. `not-found`: it does not know the task.
   * `not-cancelable`: the task has ended or cannot be canceled.
   */
  readonly kind: 'unreachable' | 'rejected' | 'not-found' | 'not-cancelable';
  /** Whether the peer cannot have received the message. */
  readonly isUnsent: boolean;
  /** How long the peer asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  /** @param message For the author of the calling handler and for operators, without secrets. */
  constructor(
    kind: PeerError['kind'],
    message: string,
    options: { readonly cause?: unknown; readonly isUnsent?: boolean; readonly retryAfterMs?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.isUnsent = options.isUnsent ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
