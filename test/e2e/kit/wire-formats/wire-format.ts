import type { Answer, Ask } from '../exchange.ts';
import type { SseEvent } from '../sse-text.ts';

/** A message to send. `parts` are in the wire format; `text` is a text part in any format. */
export interface MessageInput {
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

/** A task, the same for all formats. */
export interface DecodedTask {
  readonly id: string;
  readonly contextId: string;
  /** `completed`, `input-required` … */
  readonly state: string;
  readonly time: string;
  /** The text of the status. */
  readonly statusText: string | undefined;
  /** Name → text; undefined if the task has no such member. */
  readonly artifacts: Readonly<Record<string, string>> | undefined;
  /** `user: hello`; undefined if the task has no such member. */
  readonly history: readonly string[] | undefined;
}

export interface DecodedMessage {
  readonly text: string;
  readonly role: string;
  readonly messageId: string | undefined;
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
}

export type DecodedSend = { readonly task: DecodedTask } | { readonly message: DecodedMessage };

/** An event of a stream, the same for all formats. */
export type DecodedEvent =
  | { readonly kind: 'task'; readonly task: DecodedTask }
  | { readonly kind: 'message'; readonly message: DecodedMessage }
  | {
      readonly kind: 'status';
      readonly taskId: string;
      readonly contextId: string | undefined;
      readonly state: string;
      readonly statusText: string | undefined;
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

export interface DecodedError {
  readonly status: number;
  /** The JSON-RPC code; undefined if the response has none. */
  readonly code: number | undefined;
  readonly reason: string;
  readonly message: string;
  /** The paths of the invalid members. */
  readonly fields: readonly string[];
}

/** One version over one binding: encodes requests and decodes responses. */
export interface WireFormat {
  readonly name: string;
  readonly version: '1.0' | '0.3' | '0.2' | '0.1';
  readonly binding: 'JSON-RPC' | 'REST';
  send(input: MessageInput): Ask;
  stream(input: MessageInput): Ask;
  get(id: string, historyLength?: number): Ask;
  cancel(id: string): Ask;
  subscribe(id: string): Ask;
  /** Decodes the response to `send`. */
  sent(answer: Answer): DecodedSend;
  /** Decodes the response to `get` and `cancel`. */
  task(answer: Answer): DecodedTask;
  event(event: SseEvent): DecodedEvent;
  error(answer: Answer): DecodedError;
}

/** Omits `undefined` members, as JSON does. */
export function compact(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
