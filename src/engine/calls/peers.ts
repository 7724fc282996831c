import type { JsonObject } from '../../model/json.ts';
import type { Lineage } from '../../model/lineage.ts';
import type { Message } from '../../model/message.ts';
import type { Task } from '../../model/task.ts';
import type { TraceContext } from '../../observe/trace-context.ts';
import type { Caller } from '../handler.ts';

export type { Lineage } from '../../model/lineage.ts';

/** The agents that handlers can call, besides the agents of the same host. */
export interface Peers {
  /** Whether peers can notify this host about the tasks of calls. */
  readonly canHint?: boolean;
  /**
   * Finds a peer by its configured id or by URL. Returns `undefined` if this node does not know it: another node of the same store may.
   * Sends no request.
   *
   * @throws PeerError `rejected` for a URL that no node may call, such as one on a private network.
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
   * Follows the task of a call until it ends or asks a question. Resolves to `undefined` if the peer has no streams. The updates end
   * without a `settled` one if the peer closes the stream; then get the task before it is followed again.
   *
   * @param after The number of the last event that was seen, if the peer numbers its events. Only later ones are returned. Without
   *   it, the first updates are the artifacts so far, each of which replaces what is known of it.
   */
  follow(
    call: PeerCall,
    taskId: string,
    after: number | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<PeerUpdate> | undefined>;
  /**
   * Sends the answer to a question of the task. Repeats have the same `messageId` and key. Does not wait for the peer to read it: the
   * returned task may still show the question, and so may the next `get` and `follow`.
   */
  answer(call: PeerCall, taskId: string, answer: PeerAnswer, signal: AbortSignal): Promise<PeerState>;
  /** Asks the peer to cancel the task. Returns the task as it is then: it may have ended otherwise. */
  cancel(call: PeerCall, taskId: string, signal: AbortSignal): Promise<PeerState>;
  /**
   * Asks the peer to notify this host when the task changes. Resolves to false if it cannot. It is a request of its own, because peers
   * reject a whole message if they do not accept the address for notifications.
   */
  requestHints(call: PeerCall, taskId: string, hint: PeerHint, signal: AbortSignal): Promise<boolean>;
}

/** The address at which a peer notifies this host about the task of a call. A notification contains nothing but the fact that the task has changed. */
export interface PeerHint {
  /** The id of the call, with which `callHint` of the engine is called. */
  readonly callId: string;
  /** A random secret that the peer sends along. The engine stores its SHA-256 only, as `sha256` of `support` returns it. */
  readonly token: string;
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
  /** Where the call comes from. Sent to configured peers and to those that declare the extension. */
  readonly lineage: Lineage;
  /** The trace context of the attempt, if there is one. */
  readonly trace: TraceContext | undefined;
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
  | {
      /** Always `message`. */
      readonly kind: 'message';
      /** The message in the 1.0 format. */
      readonly message: Message;
    }
  /** The peer has a task for the message. */
  | {
      /** Always `task`. */
      readonly kind: 'task';
      /** The task in the 1.0 format. */
      readonly task: Task;
    };

/** News of a task that is followed. */
export type PeerUpdate =
  /** The task has ended or asks a question. */
  | {
      /** Always `settled`. */
      readonly kind: 'settled';
      /** The task as it is then. */
      readonly state: PeerState;
    }
  /** The task works. */
  | {
      /** Always `progress`. */
      readonly kind: 'progress';
      /** The text of its status. */
      readonly text: string;
      /** The agents that the text passed, the one that published it last; only the peer if not set. */
      readonly path?: readonly string[];
      /** The number of the event, if the peer numbers its events. */
      readonly event?: number;
    }
  /** A chunk of an artifact. */
  | {
      /** Always `artifact`. */
      readonly kind: 'artifact';
      /** The name of the artifact, or its id if it has none. */
      readonly name: string;
      /** The parts of the chunk. */
      readonly parts: Message['parts'];
      /** Whether it continues the artifact; otherwise it replaces it. */
      readonly append: boolean;
      /** The number of the event, if the peer numbers its events. */
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
