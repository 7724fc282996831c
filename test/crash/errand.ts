import type { Message } from '../../src/model/message.ts';
import type { Task } from '../../src/model/task.ts';
import type { Kind, Mode } from './programs.ts';

/** One request of a client, and all that the client knows of it. */
export interface OperationCall {
  /** Names the request, for ever: a client that does not know what became of it repeats it. */
  readonly key: string;
  readonly kind: Kind;
  readonly mode: Mode;
  /** Its questions are not answered before the last process. */
  readonly isHeld: boolean;
  /** Its receiver is told of it. */
  readonly isPushed: boolean;
  /** Known once the task was acknowledged. */
  readonly taskId?: string;
  /** The last number that its subscriber has. */
  readonly last: number;
  /** The subscriber has seen some output. */
  readonly hasOutput: boolean;
}

/** A push notification as these processes send it. */
export interface PushMessage {
  readonly id: string;
  readonly taskId: string;
  readonly number: number;
  readonly body: string;
  /** Of the process that sends it. */
  readonly pid: number;
  readonly sentAt: number;
}

/** As it has come. */
export interface ArrivedPush extends PushMessage {
  readonly arrivedAt: number;
}

/** The errand as its client knows it after something was told of it. */
export function errandAfter(operationCall: OperationCall, report: Report): OperationCall {
  if (report.t === 'task') return { ...operationCall, taskId: report.taskId };
  if (report.t !== 'item' || report.reader !== 'own') return operationCall;
  const { number, body, task } = report;
  const hasOutput =
    operationCall.hasOutput || body?.startsWith('{"artifactUpdate"') === true || task?.artifacts !== undefined;
  return { ...operationCall, last: number, hasOutput };
}

/** What a process is told to do. */
export interface Orders {
  /** A file, or the address of a database that other processes use too. */
  readonly database: string;
  /** What the keys of errands begin with, so that those of several processes are apart. */
  readonly prefix: string;
  /** Where steps leave their traces. */
  readonly traces: string;
  /** Where push notifications go. */
  readonly receiver: string;
  /** What earlier processes have begun and not seen the end of. */
  readonly errands: readonly OperationCall[];
  /** The number of the first new errand. */
  readonly firstErrand: number;
  /** How many errands to begin; after the last one the engine is closed, whatever is under way. */
  readonly begin: number;
  /** Sees everything to its end before the engine is closed. */
  readonly finish: boolean;
  readonly maxSuspended: number;
  /** Dies at the n-th call of this fault point. */
  readonly die?: { readonly point: string; readonly occurrence: number };
}

/** What a process tells, a line each: always after the engine has said it, and before it is acted upon. */
export type Report =
  /** The engine has started. */
  | { readonly t: 'open' }
  | { readonly t: 'begin'; readonly operationCall: OperationCall }
  /** The engine has acknowledged the task. */
  | { readonly t: 'task'; readonly key: string; readonly taskId: string; readonly task?: Task }
  /** The answer is a bare message. */
  | { readonly t: 'reply'; readonly key: string; readonly message: Message }
  /** A subscriber was given an event, or the task with all events up to a number. */
  | {
      readonly t: 'item';
      readonly key: string;
      readonly reader: string;
      readonly number: number;
      readonly body?: string;
      readonly task?: Task;
    }
  /** A message to the task was accepted. */
  | { readonly t: 'accepted'; readonly key: string; readonly messageId: string; readonly task: Task }
  | { readonly t: 'canceled'; readonly key: string; readonly task: Task }
  /** The task waits for an answer that nobody gives yet. */
  | { readonly t: 'held'; readonly key: string; readonly task: Task }
  /** The subscriber has come to the end. */
  | { readonly t: 'ended'; readonly key: string; readonly task: Task }
  /** Something that must not happen. */
  | { readonly t: 'trouble'; readonly about: string; readonly error: string }
  /** The engine and its store are closed. */
  | { readonly t: 'closed' };
