import type { HttpResponse } from '../../host/http.ts';
import type { LeaveSignal } from '../../support/leave-signal.ts';
import { ConnectionDropped, silence } from '../in-process.ts';
import type { CutFault, Fault } from './faults.ts';

/** Applies a fault to a response. Delays and replaced responses are handled before. */
export function faultyAnswer(answer: HttpResponse, fault: Fault | undefined, signal: LeaveSignal): HttpResponse {
  if (fault?.fault === 'content-type') {
    return { ...answer, headers: { ...answer.headers, 'content-type': fault.contentType } };
  }
  const { body } = answer;
  if (fault === undefined || body === undefined) return answer;
  return { ...answer, body: typeof body === 'string' ? faultyText(body, fault) : faultyStream(body, fault, signal) };
}

function faultyText(text: string, fault: Fault): string | AsyncIterable<string> {
  switch (fault.fault) {
    case 'malformed-json':
      return text.slice(0, -1);
    case 'oversized':
      return pieces(' '.repeat(Math.max(0, fault.bytes - text.length)), text);
    case 'drop':
      return fault.when === 'while-answering' ? brokenAfter(text.slice(0, text.length / 2)) : text;
    default:
      return text;
  }
}

/** Sent in chunks, so that the response has no `Content-Length`. */
async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

async function* brokenAfter(text: string): AsyncGenerator<string> {
  yield text;
  throw new ConnectionDropped('Dropped within the response');
}

function faultyStream(events: AsyncIterable<string>, fault: Fault, signal: LeaveSignal): AsyncIterable<string> {
  switch (fault.fault) {
    case 'cut-stream':
      return cut(events, fault);
    case 'drop':
      return fault.when === 'while-answering' ? cut(events, { afterEvents: 0, how: 'inside-event' }) : events;
    case 'silence':
      return silentAfter(events, fault.afterEvents ?? 0, signal);
    case 'duplicate-event':
      return changed(events, fault.event, (event) => [event, event]);
    case 'reorder-events':
      return swapped(events, fault.event);
    case 'malformed-json':
      return changed(events, 1, (event) => [event.replace(/.\n\n$/, '\n\n')]);
    case 'oversized':
      return changed(events, 1, (event) => [
        event.replace(/^data: /m, `data: ${' '.repeat(Math.max(0, fault.bytes - event.length))}`),
      ]);
    default:
      return events;
  }
}

async function* cut(
  events: AsyncIterable<string>,
  { afterEvents, how = 'broken', missed = 0 }: Omit<CutFault, 'fault'>,
): AsyncGenerator<string> {
  let number = 0;
  const reach = afterEvents + Math.max(missed, how === 'inside-event' ? 1 : 0);
  if (reach > 0) {
    for await (const event of events) {
      number += 1;
      if (number <= afterEvents) yield event;
      else if (number === afterEvents + 1 && how === 'inside-event') yield event.slice(0, event.length / 2);
      if (number === reach) break;
    }
  }
  // A shorter stream has already ended.
  if (number === reach && how !== 'clean') throw new ConnectionDropped('The stream is cut');
}

async function* silentAfter(
  events: AsyncIterable<string>,
  afterEvents: number,
  signal: LeaveSignal,
): AsyncGenerator<string> {
  let left = afterEvents;
  for await (const event of events) {
    if (left === 0) break;
    left -= 1;
    yield event;
    if (left === 0) break;
  }
  await silence(signal);
}

async function* changed(
  events: AsyncIterable<string>,
  which: number,
  change: (event: string) => readonly string[],
): AsyncGenerator<string> {
  let number = 0;
  for await (const event of events) {
    number += 1;
    if (number === which) yield* change(event);
    else yield event;
  }
}

async function* swapped(events: AsyncIterable<string>, which: number): AsyncGenerator<string> {
  let number = 0;
  let held: string | undefined;
  for await (const event of events) {
    number += 1;
    if (number === which) {
      held = event;
      continue;
    }
    yield event;
    if (held !== undefined) yield held;
    held = undefined;
  }
  if (held !== undefined) yield held;
}
