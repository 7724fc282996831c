import type { Answer, Ask } from '../exchange.ts';
import type { SseEvent } from '../sse-text.ts';

/** A message to be sent. `parts` are in the words of the voice; `text` is the one part that all of them have. */
export interface Said {
  readonly text?: string;
  readonly parts?: readonly unknown[];
  readonly messageId?: string;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly returnImmediately?: boolean;
  readonly historyLength?: number;
  readonly acceptedOutputModes?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A task in plain words. */
export interface SeenTask {
  readonly id: string;
  readonly contextId: string;
  /** `completed`, `input-required` … */
  readonly state: string;
  readonly time: string;
  /** The text of the status. */
  readonly says: string | undefined;
  /** Name → text; undefined if the task has no such member. */
  readonly artifacts: Readonly<Record<string, string>> | undefined;
  /** `user: hello`; undefined if the task has no such member. */
  readonly history: readonly string[] | undefined;
}

export interface SeenMessage {
  readonly text: string;
  readonly role: string;
  readonly messageId: string | undefined;
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
}

export type SeenSend = { readonly task: SeenTask } | { readonly message: SeenMessage };

/** An event of a stream in plain words. */
export type SeenEvent =
  | { readonly kind: 'task'; readonly task: SeenTask }
  | { readonly kind: 'message'; readonly message: SeenMessage }
  | {
      readonly kind: 'status';
      readonly taskId: string;
      readonly contextId: string | undefined;
      readonly state: string;
      readonly says: string | undefined;
      readonly final: boolean | undefined;
    }
  | {
      readonly kind: 'artifact';
      readonly taskId: string;
      readonly contextId: string | undefined;
      readonly name: string;
      readonly text: string;
      readonly append: boolean;
      readonly lastChunk: boolean;
    };

export interface SeenError {
  readonly status: number;
  /** The number of JSON-RPC; undefined where the binding has none. */
  readonly code: number | undefined;
  readonly reason: string;
  readonly message: string;
  /** The members that were wrong. */
  readonly fields: readonly string[];
}

export interface Voice {
  readonly name: string;
  readonly version: '1.0' | '0.3' | '0.2' | '0.1';
  readonly binding: 'JSON-RPC' | 'REST';
  send(said: Said): Ask;
  stream(said: Said): Ask;
  get(id: string, historyLength?: number): Ask;
  cancel(id: string): Ask;
  subscribe(id: string): Ask;
  sent(answer: Answer): SeenSend;
  /** The answer to get and cancel. */
  task(answer: Answer): SeenTask;
  event(event: SseEvent): SeenEvent;
  error(answer: Answer): SeenError;
}

/** `undefined` members are left away, as JSON does. */
export function compact(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
