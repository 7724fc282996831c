/** The outcome of each fault: the reply, or the code of an error. */
import type { ErrorCode } from '../../../src/errors.ts';
import type { Fault } from '../../../src/testing/index.ts';
import type { Column } from './fault-scenarios.ts';

export type Outcome = 'reply' | ErrorCode;

export interface Row {
  readonly fault: Fault;
  /** A fault that cannot happen in a column has no outcome there. */
  readonly outcomes: Readonly<Partial<Record<Column, Outcome>>>;
  /** The client can detect the fault only if events are numbered. */
  readonly numberedOnly?: true;
}

type Outcomes = readonly [send: Outcome, stream: Outcome, poll: Outcome, resubscribe: Outcome, subscribe: Outcome];

function row(fault: Fault, [send, stream, poll, resubscribe, subscribe]: Outcomes): Row {
  return { fault, outcomes: { send, stream, poll, resubscribe, subscribe } };
}

/** A fault that affects only streams. */
function streams(fault: Fault, [stream, resubscribe, subscribe]: readonly [Outcome, Outcome, Outcome]): Row {
  return { fault, outcomes: { stream, resubscribe, subscribe } };
}

function always(outcome: Outcome): Outcomes {
  return [outcome, outcome, outcome, outcome, outcome];
}

/** A wait polls the task if it gets no stream; a call that needs the stream fails with the reason. */
function rejected(code: ErrorCode): Outcomes {
  return [code, code, code, 'reply', code];
}

/** The client repeats reads, and does not repeat a message that may have arrived. */
const LOST: Outcomes = ['TRANSPORT_FAILED', 'TRANSPORT_FAILED', 'reply', 'reply', 'reply'];

/** The same if a gateway responds for an agent that may have received the request. */
const BEHIND_GATEWAY: Outcomes = ['UNAVAILABLE', 'UNAVAILABLE', 'reply', 'reply', 'reply'];

const REPLIED = ['reply', 'reply', 'reply'] as const;

export const TABLE: readonly Row[] = [
  row({ fault: 'drop', when: 'before-acting' }, LOST),
  row({ fault: 'drop', when: 'before-answering' }, LOST),
  row({ fault: 'drop', when: 'while-answering' }, LOST),
  row({ fault: 'drop', times: Infinity }, rejected('TRANSPORT_FAILED')),
  row({ fault: 'delay', ms: 1 }, always('reply')),
  row({ fault: 'status', status: 503, retryAfterS: 1 }, always('reply')),
  row({ fault: 'status', status: 429, retryAfterS: 1 }, always('reply')),
  row({ fault: 'status', status: 503 }, ['UNAVAILABLE', 'UNAVAILABLE', 'reply', 'reply', 'reply']),
  row({ fault: 'status', status: 503, times: Infinity }, rejected('UNAVAILABLE')),
  row({ fault: 'status', status: 502, body: '<html>' }, BEHIND_GATEWAY),
  row({ fault: 'status', status: 504, body: '<html>' }, BEHIND_GATEWAY),
  row({ fault: 'status', status: 502, retryAfterS: 1 }, BEHIND_GATEWAY),
  row({ fault: 'status', status: 502, times: Infinity }, rejected('UNAVAILABLE')),
  row({ fault: 'status', status: 500, body: 'oops' }, rejected('INTERNAL_ERROR')),
  row({ fault: 'status', status: 404, body: 'nothing here' }, rejected('DISCOVERY_FAILED')),
  row({ fault: 'status', status: 401 }, rejected('UNAUTHENTICATED')),
  row({ fault: 'status', status: 403 }, rejected('PERMISSION_DENIED')),
  row({ fault: 'status', status: 307, headers: { location: '?' } }, always('reply')),
  row({ fault: 'status', status: 200, body: '' }, rejected('INVALID_AGENT_RESPONSE')),
  row({ fault: 'status', status: 200, body: '<html>' }, rejected('INVALID_AGENT_RESPONSE')),
  row({ fault: 'silence' }, always('TIMEOUT')),
  row({ fault: 'silence', afterEvents: 2 }, always('TIMEOUT')),
  row({ fault: 'content-type', contentType: 'text/html' }, [
    'reply',
    'INVALID_AGENT_RESPONSE',
    'reply',
    'reply',
    'INVALID_AGENT_RESPONSE',
  ]),
  row({ fault: 'oversized', bytes: 20_000 }, rejected('INVALID_AGENT_RESPONSE')),
  row({ fault: 'malformed-json' }, rejected('INVALID_AGENT_RESPONSE')),
  streams({ fault: 'cut-stream', afterEvents: 0 }, ['TRANSPORT_FAILED', 'reply', 'reply']),
  streams({ fault: 'cut-stream', afterEvents: 0, how: 'clean' }, ['INVALID_AGENT_RESPONSE', 'reply', 'reply']),
  streams({ fault: 'cut-stream', afterEvents: 1 }, REPLIED),
  streams({ fault: 'cut-stream', afterEvents: 1, how: 'clean', times: Infinity }, REPLIED),
  streams({ fault: 'cut-stream', afterEvents: 3 }, REPLIED),
  streams({ fault: 'cut-stream', afterEvents: 3, how: 'inside-event' }, REPLIED),
  streams({ fault: 'cut-stream', afterEvents: 3, how: 'clean' }, REPLIED),
  streams({ fault: 'cut-stream', afterEvents: 3, missed: 1 }, REPLIED),
  streams({ fault: 'cut-stream', afterEvents: 3, missed: 3 }, REPLIED),
  // Without numbers the client cannot detect text that is repeated or reordered, so these are only events without text.
  { fault: { fault: 'duplicate-event', event: 1 }, outcomes: { stream: 'reply', subscribe: 'reply' } },
  { fault: { fault: 'duplicate-event', event: 2 }, outcomes: { stream: 'reply' } },
  { fault: { fault: 'duplicate-event', event: 6 }, outcomes: { stream: 'reply' } },
  { fault: { fault: 'reorder-events', event: 1 }, outcomes: { stream: 'reply' } },
  ...[2, 3, 4, 5].flatMap((event): Row[] => [
    { ...streams({ fault: 'duplicate-event', event }, REPLIED), numberedOnly: true },
    { ...streams({ fault: 'reorder-events', event }, REPLIED), numberedOnly: true },
  ]),
];

/** The outcome of `connect` with a fault in the request for the card. */
export const CARD_TABLE: readonly (readonly [Fault, Outcome])[] = [
  [{ fault: 'drop', when: 'before-acting' }, 'reply'],
  [{ fault: 'drop', when: 'while-answering' }, 'reply'],
  [{ fault: 'drop', times: Infinity }, 'TRANSPORT_FAILED'],
  [{ fault: 'delay', ms: 1 }, 'reply'],
  [{ fault: 'status', status: 503, retryAfterS: 1 }, 'reply'],
  [{ fault: 'status', status: 503, times: Infinity }, 'DISCOVERY_FAILED'],
  [{ fault: 'status', status: 502 }, 'reply'],
  [{ fault: 'status', status: 504 }, 'reply'],
  [{ fault: 'status', status: 502, times: Infinity }, 'DISCOVERY_FAILED'],
  [{ fault: 'status', status: 500, times: Infinity }, 'DISCOVERY_FAILED'],
  [{ fault: 'status', status: 401 }, 'UNAUTHENTICATED'],
  [{ fault: 'status', status: 403 }, 'PERMISSION_DENIED'],
  [{ fault: 'status', status: 307, headers: { location: '?' } }, 'reply'],
  [{ fault: 'status', status: 200, body: '<html>', times: Infinity }, 'DISCOVERY_FAILED'],
  [{ fault: 'silence' }, 'TIMEOUT'],
  [{ fault: 'content-type', contentType: 'text/html' }, 'reply'],
  [{ fault: 'oversized', bytes: 20_000 }, 'INVALID_AGENT_RESPONSE'],
  [{ fault: 'malformed-json', times: Infinity }, 'DISCOVERY_FAILED'],
];
