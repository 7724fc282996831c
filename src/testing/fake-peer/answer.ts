import { emissionOf, type Output, type ReplyOutput } from '../../engine/output/output.ts';
import type { A2AError } from '../../errors.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { Message } from '../../model/message.ts';
import { textOfParts } from '../../model/part-text.ts';
import { timeText } from '../../engine/write/status-time.ts';

/** A message that a fake peer received. */
export interface PeerMessage {
  /** The text of the message. */
  readonly text: string;
  /** The message in the 1.0 format. */
  readonly message: Message;
  /** The position of the message among all messages to this peer, counted from 1. */
  readonly number: number;
}

/** A step that pauses the task until a promise resolves. */
export interface Hold {
  /** The promise that the task waits for. */
  readonly until: Promise<unknown>;
}

/** One step of a scripted task: an output, as handlers yield it, or a pause. */
export type Step = Exclude<Output, ReplyOutput> | Hold;

/**
 * The response of a fake peer to a message.
 *
 * - a string: a completed task with the text as its artifact
 * - a list: a task with these steps. If the last one is a status, the task stays in that state, even in `working`; else it is
 *   completed.
 * - `{ message }`: a message without a task
 * - an `A2AError`: the peer rejects the message with it
 *
 * @example [{ status: 'working', text: 'Searching' }, 'Rome', { status: 'input-required', text: 'When?' }]
 */
export type Answer =
  | string
  | readonly Step[]
  | {
      /** The text of the message. */
      readonly message: string;
    }
  | A2AError;

/** A response, or a function that creates one from the message. */
export type ScriptedAnswer = Answer | ((message: PeerMessage) => Answer | Promise<Answer>);

/** A step that a task has not done yet. */
export type Pending = { readonly event: (now: number) => StreamResponse } | Hold;

/** The task of a step, and the source of its message ids. */
export interface StepContext {
  readonly taskId: string;
  readonly contextId: string;
  readonly newMessageId: () => string;
}

export function peerMessageOf(message: Message, number: number): PeerMessage {
  return { text: textOfParts(message.parts), message, number };
}

/** The steps of a response that creates a task, in order. */
export function stepsOf(answer: string | readonly Step[], context: StepContext): readonly Pending[] {
  const steps = typeof answer === 'string' ? [answer] : answer;
  const pending = steps.map((step): Pending => (isHold(step) ? step : eventOf(step, context)));
  const last = steps.at(-1);
  const staysInStatus = typeof last === 'object' && 'status' in last && last.status !== undefined;
  return staysInStatus ? pending : [...pending, eventOf({ status: 'completed' }, context)];
}

function isHold(step: Step): step is Hold {
  return typeof step === 'object' && 'until' in step;
}

function eventOf(step: Exclude<Output, ReplyOutput>, { taskId, contextId, newMessageId }: StepContext): Pending {
  const emission = emissionOf(step);
  const ids = { taskId, contextId };
  if (emission.kind === 'artifact') {
    const { kind: _, name, parts, append, lastChunk, ...more } = emission;
    const flags = { ...(append && { append }), ...(lastChunk && { lastChunk }) };
    return {
      event: () => ({ artifactUpdate: { ...ids, artifact: { artifactId: name, name, parts, ...more }, ...flags } }),
    };
  }
  if (emission.kind === 'reply')
    throw new TypeError('A step of a task cannot be a reply. Use { message: … } as the whole response instead');
  const { state, parts, metadata } = emission;
  const more = metadata === undefined ? {} : { metadata };
  return {
    event: (now) => {
      const message: Message = { messageId: newMessageId(), ...ids, role: 'ROLE_AGENT', parts };
      const content = parts.length === 0 ? {} : { message };
      return { statusUpdate: { ...ids, status: { state, ...content, timestamp: timeText(now) }, ...more } };
    },
  };
}
