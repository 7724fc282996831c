import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { JournalRecord, StoredTask } from '../../store/store.ts';
import type { TraceContext } from '../../observe/trace-context.ts';
import type { Caller } from '../handler.ts';
import type { CallOutcome } from './call.ts';
import type { Lineage, PeerState } from './peers.ts';

/**
 * A call as its row stores it. Rows outlive the journal of an ended task, so everything that a node needs to make the call is here. The
 * message is sent unchanged by each attempt.
 */
export interface CallRequest {
  /** The key of the call in the journal of its task. */
  readonly key: string;
  /** The peer, as the handler named it. */
  readonly peer: string;
  /** The id of the child's task, if the peer is an agent of the same host. */
  readonly childId?: string;
  readonly message: Message;
  readonly skillId?: string;
  /** When the child is canceled, in milliseconds since 1970. */
  readonly deadline?: number;
  readonly idleMs?: number;
  readonly onParentEnd: 'cancel' | 'leave';
  readonly questions: 'forward' | 'fail' | 'handler';
  /** Set if status texts of the child are published. */
  readonly progress?: true;
  /** The name of the artifact of the child that is copied. */
  readonly artifact?: string;
  readonly as?: 'caller' | 'agent';
  /** The caller that started the task at the root. */
  readonly caller: Caller;
  readonly lineage: Lineage;
  /** All entries about the call come after this number in the journal. */
  readonly after: number;
  /** The span that marks where the call was made. Without spans, the call is in the trace of its task. */
  readonly trace?: TraceContext;
}

/** The entry `call` of the journal: the part of a call that a run needs. */
export interface CallEntry {
  readonly id: string;
  readonly peer: string;
  readonly onParentEnd: 'cancel' | 'leave';
}

/** The entry `called`: the outcome of a call. */
export interface CalledEntry {
  readonly outcome: CallOutcome;
  /** Why the call did not complete, for the author of the handler. */
  readonly reason?: string;
  readonly state?: PeerState;
}

/** The entry `call-question`: a question that the child asks, as its status shows it. */
export interface CallQuestionEntry {
  /** The id of the call. */
  readonly call: string;
  readonly state: 'TASK_STATE_INPUT_REQUIRED' | 'TASK_STATE_AUTH_REQUIRED';
  readonly message: Message;
  /** Why the last answer was rejected, if this is the same question again. */
  readonly problem?: string;
}

/** The entry `call-update`. `event` is the number of the child's event, if the peer numbers its events. */
export interface CallUpdateEntry {
  /** The id of the call. */
  readonly call: string;
  readonly event?: number;
  readonly update:
    | { readonly kind: 'progress'; readonly text: string; readonly path: readonly string[] }
    | { readonly kind: 'artifact'; readonly parts: Message['parts']; readonly append: boolean };
}

/** The progress of a row: the findings of the nodes that worked on the call. */
export interface CallProgress {
  /** The id of the task at the peer, once it is known. */
  readonly taskId?: string;
  /** The fencing number of the last lease, if nothing was sent under it or any before it. */
  readonly unsent?: number;
  /** How many attempts have failed since the last one that succeeded, and when the first of them did. */
  readonly attempts?: number;
  readonly failingSince?: number;
  /** The last seen change of the child, and when it was seen, for `idleMs` and for the pace of polls. */
  readonly seen?: string;
  readonly seenAt?: number;
  /** The SHA-256 of the token with which the peer notifies this host. */
  readonly hint?: string;
  /** Whether the peer will notify this host. Not set before the peer has responded. */
  readonly isHinted?: boolean;
}

/** The calling task, as a node that works on its call reads it. */
export interface CallingTask {
  readonly record: StoredTask['record'];
  /** The entries since the call was recorded. Without bodies, or absent, if the task has ended. */
  readonly entries: readonly JournalRecord[];
}

/** Whether the child is followed as a stream for its updates. */
export function isRelayed({ progress, artifact }: CallRequest): boolean {
  return progress === true || artifact !== undefined;
}

/** The peer as metrics name it. URLs are one peer there, because handlers may call any number of them. */
export function peerLabel({ peer }: CallRequest): string {
  return /^https?:/i.test(peer) ? 'url' : peer;
}

export function requestOf(call: { readonly request: JsonObject }): CallRequest {
  return call.request as unknown as CallRequest;
}
