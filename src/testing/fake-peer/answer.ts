import { emissionOf, type Output, type ReplyOutput } from '../../engine/output.ts';
import type { A2AError } from '../../errors.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { Message } from '../../model/message.ts';
import { textOfParts } from '../../model/part-text.ts';
import { timeText } from '../../engine/status-time.ts';

/** A message that has come to a fake peer. */
export interface PeerMessage {
  readonly text: string;
  readonly message: Message;
  /** The how many-th it is, from 1. */
  readonly number: number;
}

/** Holds the task where it is until the promise resolves. */
export interface Hold {
  readonly until: Promise<unknown>;
}

/** What handlers of agents yield, or a hold. */
export type Step = Exclude<Output, ReplyOutput> | Hold;

/**
 * What a fake peer says to a message.
 *
 * - a text: a task that is completed and has the text as its artifact
 * - a list: a task that does these steps one by one. If the last is a status, the task stays in it, be it `working`;
 *   else it is completed.
 * - `{ message }`: a bare message, and no task
 * - an `A2AError`: the message is refused with it
 */
export type Answer = string | readonly Step[] | { readonly message: string } | A2AError;

/** An answer, or what makes one of the message. */
export type ScriptedAnswer = Answer | ((said: PeerMessage) => Answer | Promise<Answer>);

/** What a task is still to do. */
export type Pending = { readonly event: (now: number) => StreamResponse } | Hold;

/** The task that a step belongs to, and how to name what it makes. */
export interface StepContext {
  readonly taskId: string;
  readonly contextId: string;
  readonly newMessageId: () => string;
}

export function saidOf(message: Message, number: number): PeerMessage {
  return { text: textOfParts(message.parts), message, number };
}

/** The events of an answer that makes a task, in order. */
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
  if (emission.kind === 'reply') throw new TypeError('A step of a task cannot be a reply: answer with { message: … }');
  const { state, parts, metadata } = emission;
  const more = metadata === undefined ? {} : { metadata };
  return {
    event: (now) => {
      const message: Message = { messageId: newMessageId(), ...ids, role: 'ROLE_AGENT', parts };
      const said = parts.length === 0 ? {} : { message };
      return { statusUpdate: { ...ids, status: { state, ...said, timestamp: timeText(now) }, ...more } };
    },
  };
}
