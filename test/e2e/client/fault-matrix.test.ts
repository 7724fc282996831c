/**
 * Everything that a scripted peer can do wrong, to everything that a user can ask for, in every version and binding: the
 * right answer or the right error, and never a message twice. No deadline comes by itself here, so a call that would only be
 * ended by one hangs, and its test fails.
 */
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { A2AError } from '../../../src/errors.ts';
import type { AgentClient } from '../../../src/client/client.ts';
import { connect } from '../../../src/client/connect.ts';
import type { BindingName, ConnectOptions } from '../../../src/client/options.ts';
import type { OperationName } from '../../../src/model/operation.ts';
import type { Task } from '../../../src/model/task.ts';
import { type Clock, systemClock } from '../../../src/support/time/clock.ts';
import { deferred } from '../../../src/support/deferred.ts';
import { type FakePeer, fakePeer, type Fault } from '../../../src/testing/index.ts';
import type { ProtocolVersion } from '../../../src/wire/version.ts';
import { type Act, ACTS, ANSWER, scriptOf } from './fault-acts.ts';
import { CARD_TABLE, TABLE } from './fault-table.ts';
import { connected, TRANSPORTS } from './kit.ts';

interface Way {
  readonly version: ProtocolVersion;
  readonly binding: BindingName;
  readonly isNumbered: boolean;
  readonly transport: string;
}

const SPOKEN: readonly (readonly [ProtocolVersion, BindingName])[] = [
  ['1.0', 'JSONRPC'],
  ['1.0', 'HTTP+JSON'],
  ['0.3', 'JSONRPC'],
  ['0.3', 'HTTP+JSON'],
  ['0.2', 'JSONRPC'],
  ['0.1', 'JSONRPC'],
];

/** By which requests are made matters to what is lost and not to what it is called, so `fetch` is tried with one version. */
const WAYS: readonly Way[] = TRANSPORTS.flatMap(([transport]) =>
  (transport === 'fetch' ? SPOKEN.slice(0, 1) : SPOKEN).flatMap(([version, binding]) =>
    [false, true].map((isNumbered) => ({ version, binding, isNumbered, transport })),
  ),
);

const LIMITS = { maxAnswerBytes: 10_000, maxEventBytes: 10_000, maxCardBytes: 10_000 };

/** Pauses take no time; deadlines come when they are told to. */
function conductedClock(): Clock & { expire(): void } {
  const deadlines = new Set<() => void>();
  return {
    now: () => systemClock.now(),
    callAt(time, run) {
      if (time - systemClock.now() > 10_000) {
        deadlines.add(run);
        return () => void deadlines.delete(run);
      }
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
    expire() {
      for (const run of deadlines) run();
    },
  };
}

const nameOf = ({ version, binding, isNumbered, transport }: Way): string =>
  `${version} ${binding} ${isNumbered ? 'numbered ' : ''}over ${transport}`;

const optionsOf = ({ transport }: Way, clock: Clock): ConnectOptions => ({
  ...TRANSPORTS.find(([name]) => name === transport)?.[1],
  clock,
  limits: LIMITS,
  cache: false,
});

async function outcomeOf(run: Promise<string>): Promise<{ outcome: string; error?: A2AError }> {
  try {
    const text = await run;
    return { outcome: text === ANSWER ? 'answer' : text };
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    return { outcome: error.code, error };
  }
}

const sendsOf = (peer: FakePeer) =>
  peer.requests.filter(({ operation }) => operation === 'SendMessage' || operation === 'SendStreamingMessage');

/** One cell of the table: does it, and checks what is the same in all cells. */
async function cell(act: Act, fault: Fault, way: Way): Promise<string> {
  const { version, binding, isNumbered } = way;
  const go = deferred<void>();
  const script = scriptOf(act, go.promise);
  await using peer = await fakePeer({ version, binding, numbersEvents: isNumbered, script, faults: act.faults ?? [] });
  const clock = conductedClock();
  const options = optionsOf(way, clock);
  const agent = await connected(peer.url, options);
  let struck: OperationName | undefined;
  let before = 0;
  let events = 0;
  const running = outcomeOf(
    act.run({
      agent,
      isNumbered,
      options: { timeoutMs: 60_000, onProgress: () => void (events += 1) },
      reconnect: (handle) => connected(handle, options),
      strike(on) {
        struck = on;
        before = peer.requests.length;
        peer.fault({ ...fault, on });
        go.resolve();
      },
    }),
  );
  if (fault.fault === 'silence') {
    const isSilent = (): boolean =>
      peer.requests.slice(before).some(({ operation, acted }) => acted && operation === struck);
    const heard = act.column === 'stream' ? (fault.afterEvents ?? 0) : 0;
    await vi.waitUntil(() => isSilent() && events >= heard, { interval: 1, timeout: 20_000 });
    clock.expire();
  }
  const { outcome, error } = await running;
  checkSends(act, peer, error);
  const isTaskKnown = act.asksFirst === true || (act.column !== 'send' && act.column !== 'stream') || events > 0;
  if (error !== undefined && isTaskKnown)
    await checkWayBack(error, act, peer, fault, (handle) => connected(handle, options));
  return outcome;
}

function checkSends({ asksFirst = false }: Act, peer: FakePeer, error: A2AError | undefined): void {
  const messages = asksFirst ? 2 : 1;
  const sends = sendsOf(peer);
  expect(peer.doubleSends).toEqual([]);
  expect(new Set(sends.map(({ headers }) => headers['idempotency-key'])).size).toBe(messages);
  if (error === undefined) expect(sends.filter(({ acted }) => acted)).toHaveLength(messages);
  else expect(sends).toHaveLength(messages);
}

/** Whoever keeps the handle can go on when the trouble is over. */
async function checkWayBack(
  error: A2AError,
  act: Act,
  peer: FakePeer,
  fault: Fault,
  open: typeof connected,
): Promise<void> {
  const { handle = '' } = error.details;
  expect(handle).toMatch(/^task1_/);
  const hasArrived = sendsOf(peer).every(({ acted }) => acted);
  if (fault.times === Infinity || !hasArrived) return;
  const later = await open(handle);
  expect((await later.task(handle).wait({ wait: 'poll' })).text).toBe(ANSWER);
  checkSends(act, peer, error);
}

describe.each(Object.entries(ACTS))('%s', (_name, act) => {
  const rows = TABLE.flatMap(({ fault, outcomes, numberedOnly = false }) => {
    // Numbers matter to streams only.
    const isOfStreams = act.column !== 'send' && act.column !== 'look';
    const columns = WAYS.filter(
      ({ isNumbered, version }) =>
        (isNumbered ? isOfStreams : !numberedOnly) && act.versions?.includes(version) !== false,
    );
    const ways = columns.flatMap((way) => {
      const expected = outcomes[act.columnFor?.(way) ?? act.column];
      return expected === undefined ? [] : [[way, expected] as const];
    });
    return ways.length === 0
      ? []
      : [[JSON.stringify({ ...fault, times: String(fault.times ?? 1) }), { fault, ways }] as const];
  });

  test.each(rows)('%s', async (_name, { fault, ways }) => {
    const outcomes = await Promise.all(ways.map(async ([way]) => [nameOf(way), await cell(act, fault, way)]));
    expect(Object.fromEntries(outcomes)).toEqual(
      Object.fromEntries(ways.map(([way, expected]) => [nameOf(way), expected])),
    );
  });
});

/** Of what asks for one thing once: reading and cancelling can be repeated, and a task is not cancelled twice. */
describe.each<[OperationName, (agent: AgentClient, taskId: string) => Promise<Task>]>([
  ['GetTask', (agent, taskId) => agent.get(taskId)],
  ['CancelTask', (agent, taskId) => agent.cancel(taskId)],
])('%s', (on, act) => {
  test.each<[Fault, string]>([
    [{ fault: 'drop', when: 'before-acting' }, 'answer'],
    [{ fault: 'drop', when: 'before-answering' }, 'answer'],
    [{ fault: 'drop', when: 'while-answering' }, 'answer'],
    [{ fault: 'drop', when: 'before-acting', times: Infinity }, 'TRANSPORT_FAILED'],
    [{ fault: 'status', status: 503 }, 'answer'],
    [{ fault: 'status', status: 502, body: '<html>' }, 'answer'],
    [{ fault: 'status', status: 504, body: '<html>' }, 'answer'],
    [{ fault: 'status', status: 500 }, 'INTERNAL_ERROR'],
    [{ fault: 'malformed-json' }, 'INVALID_AGENT_RESPONSE'],
  ])('%j', async (fault, expected) => {
    const ways = WAYS.filter(({ isNumbered }) => !isNumbered);
    const outcomes = await Promise.all(
      ways.map(async (way) => {
        const { version, binding } = way;
        await using peer = await fakePeer({ version, binding, script: [[{ status: 'input-required' }]] });
        const agent = await connected(peer.url, optionsOf(way, conductedClock()));
        const { task } = await agent.send('Rome');
        peer.fault({ ...fault, on });
        const asked = act(agent, task?.id ?? '').then(({ id }) => (id === task?.id ? ANSWER : id));
        return (await outcomeOf(asked)).outcome;
      }),
    );
    expect(outcomes).toEqual(ways.map(() => expected));
  });
});

describe('connect', () => {
  test.each(CARD_TABLE)('%j', async (fault, expected) => {
    const ways = WAYS.filter(({ isNumbered }) => !isNumbered);
    const outcomes = await Promise.all(
      ways.map(async (way) => {
        const { version, binding } = way;
        await using peer = await fakePeer({ version, binding, script: [ANSWER] });
        const clock = conductedClock();
        peer.fault({ ...fault, on: 'card' });
        const running = outcomeOf(opened(peer.url, { ...optionsOf(way, clock), version }));
        if (fault.fault === 'silence') {
          await vi.waitUntil(() => peer.requests.length > 0, { interval: 1, timeout: 20_000 });
          clock.expire();
        }
        return (await running).outcome;
      }),
    );
    expect(outcomes).toEqual(ways.map(() => expected));
  });
});

async function opened(url: string, options: ConnectOptions): Promise<string> {
  const agent = await connect(url, options);
  onTestFinished(() => agent.close());
  return agent.ask('Rome');
}
