/** What comes of each thing that can go wrong: the answer, or the code of an error. */
import type { ErrorCode } from '../../../src/errors.ts';
import type { Fault } from '../../../src/testing/index.ts';
import type { Column } from './fault-acts.ts';

export type Outcome = 'answer' | ErrorCode;

export interface Row {
  readonly fault: Fault;
  /** A column that is missing has no such fault. */
  readonly outcomes: Readonly<Partial<Record<Column, Outcome>>>;
  /** Only agents that number their events show what happened. */
  readonly numberedOnly?: true;
}

type Outcomes = readonly [send: Outcome, stream: Outcome, look: Outcome, follow: Outcome, subscribe: Outcome];

function row(fault: Fault, [send, stream, look, follow, subscribe]: Outcomes): Row {
  return { fault, outcomes: { send, stream, look, follow, subscribe } };
}

/** Something that happens to streams alone. */
function streams(fault: Fault, [stream, follow, subscribe]: readonly [Outcome, Outcome, Outcome]): Row {
  return { fault, outcomes: { stream, follow, subscribe } };
}

function always(outcome: Outcome): Outcomes {
  return [outcome, outcome, outcome, outcome, outcome];
}

/** Whoever waits asks the task if he gets no stream; whoever wants a stream is told why there is none. */
function refused(code: ErrorCode): Outcomes {
  return [code, code, code, 'answer', code];
}

/** Reading again does no harm, sending again may. */
const LOST: Outcomes = ['TRANSPORT_FAILED', 'TRANSPORT_FAILED', 'answer', 'answer', 'answer'];

/** So it is if a gateway answers for an agent that may have the request. */
const BEHIND_GATEWAY: Outcomes = ['UNAVAILABLE', 'UNAVAILABLE', 'answer', 'answer', 'answer'];

const ANSWERED = ['answer', 'answer', 'answer'] as const;

export const TABLE: readonly Row[] = [
  row({ fault: 'drop', when: 'before-acting' }, LOST),
  row({ fault: 'drop', when: 'before-answering' }, LOST),
  row({ fault: 'drop', when: 'while-answering' }, LOST),
  row({ fault: 'drop', times: Infinity }, refused('TRANSPORT_FAILED')),
  row({ fault: 'delay', ms: 1 }, always('answer')),
  row({ fault: 'status', status: 503, retryAfterS: 1 }, always('answer')),
  row({ fault: 'status', status: 429, retryAfterS: 1 }, always('answer')),
  row({ fault: 'status', status: 503 }, ['UNAVAILABLE', 'UNAVAILABLE', 'answer', 'answer', 'answer']),
  row({ fault: 'status', status: 503, times: Infinity }, refused('UNAVAILABLE')),
  row({ fault: 'status', status: 502, body: '<html>' }, BEHIND_GATEWAY),
  row({ fault: 'status', status: 504, body: '<html>' }, BEHIND_GATEWAY),
  row({ fault: 'status', status: 502, retryAfterS: 1 }, BEHIND_GATEWAY),
  row({ fault: 'status', status: 502, times: Infinity }, refused('UNAVAILABLE')),
  row({ fault: 'status', status: 500, body: 'oops' }, refused('INTERNAL_ERROR')),
  row({ fault: 'status', status: 404, body: 'nothing here' }, refused('DISCOVERY_FAILED')),
  row({ fault: 'status', status: 401 }, refused('UNAUTHENTICATED')),
  row({ fault: 'status', status: 403 }, refused('PERMISSION_DENIED')),
  row({ fault: 'status', status: 307, headers: { location: '?' } }, always('answer')),
  row({ fault: 'status', status: 200, body: '' }, refused('INVALID_AGENT_RESPONSE')),
  row({ fault: 'status', status: 200, body: '<html>' }, refused('INVALID_AGENT_RESPONSE')),
  row({ fault: 'silence' }, always('TIMEOUT')),
  row({ fault: 'silence', afterEvents: 2 }, always('TIMEOUT')),
  row({ fault: 'content-type', contentType: 'text/html' }, [
    'answer',
    'INVALID_AGENT_RESPONSE',
    'answer',
    'answer',
    'INVALID_AGENT_RESPONSE',
  ]),
  row({ fault: 'oversized', bytes: 20_000 }, refused('INVALID_AGENT_RESPONSE')),
  row({ fault: 'malformed-json' }, refused('INVALID_AGENT_RESPONSE')),
  streams({ fault: 'cut-stream', afterEvents: 0 }, ['TRANSPORT_FAILED', 'answer', 'answer']),
  streams({ fault: 'cut-stream', afterEvents: 0, how: 'clean' }, ['INVALID_AGENT_RESPONSE', 'answer', 'answer']),
  streams({ fault: 'cut-stream', afterEvents: 1 }, ANSWERED),
  streams({ fault: 'cut-stream', afterEvents: 1, how: 'clean', times: Infinity }, ANSWERED),
  streams({ fault: 'cut-stream', afterEvents: 3 }, ANSWERED),
  streams({ fault: 'cut-stream', afterEvents: 3, how: 'inside-event' }, ANSWERED),
  streams({ fault: 'cut-stream', afterEvents: 3, how: 'clean' }, ANSWERED),
  streams({ fault: 'cut-stream', afterEvents: 3, missed: 1 }, ANSWERED),
  streams({ fault: 'cut-stream', afterEvents: 3, missed: 3 }, ANSWERED),
  // Without numbers a text that comes twice or in another order is believed, so here only what is no text.
  { fault: { fault: 'duplicate-event', event: 1 }, outcomes: { stream: 'answer', subscribe: 'answer' } },
  { fault: { fault: 'duplicate-event', event: 2 }, outcomes: { stream: 'answer' } },
  { fault: { fault: 'duplicate-event', event: 6 }, outcomes: { stream: 'answer' } },
  { fault: { fault: 'reorder-events', event: 1 }, outcomes: { stream: 'answer' } },
  ...[2, 3, 4, 5].flatMap((event): Row[] => [
    { ...streams({ fault: 'duplicate-event', event }, ANSWERED), numberedOnly: true },
    { ...streams({ fault: 'reorder-events', event }, ANSWERED), numberedOnly: true },
  ]),
];

/** What comes of asking for the card, with the fault on that. */
export const CARD_TABLE: readonly (readonly [Fault, Outcome])[] = [
  [{ fault: 'drop', when: 'before-acting' }, 'answer'],
  [{ fault: 'drop', when: 'while-answering' }, 'answer'],
  [{ fault: 'drop', times: Infinity }, 'TRANSPORT_FAILED'],
  [{ fault: 'delay', ms: 1 }, 'answer'],
  [{ fault: 'status', status: 503, retryAfterS: 1 }, 'answer'],
  [{ fault: 'status', status: 503, times: Infinity }, 'DISCOVERY_FAILED'],
  [{ fault: 'status', status: 502 }, 'answer'],
  [{ fault: 'status', status: 504 }, 'answer'],
  [{ fault: 'status', status: 502, times: Infinity }, 'DISCOVERY_FAILED'],
  [{ fault: 'status', status: 500, times: Infinity }, 'DISCOVERY_FAILED'],
  [{ fault: 'status', status: 401 }, 'UNAUTHENTICATED'],
  [{ fault: 'status', status: 403 }, 'PERMISSION_DENIED'],
  [{ fault: 'status', status: 307, headers: { location: '?' } }, 'answer'],
  [{ fault: 'status', status: 200, body: '<html>', times: Infinity }, 'DISCOVERY_FAILED'],
  [{ fault: 'silence' }, 'TIMEOUT'],
  [{ fault: 'content-type', contentType: 'text/html' }, 'answer'],
  [{ fault: 'oversized', bytes: 20_000 }, 'INVALID_AGENT_RESPONSE'],
  [{ fault: 'malformed-json', times: Infinity }, 'DISCOVERY_FAILED'],
];
