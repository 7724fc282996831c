/**
 * Every fault of a scripted peer in every operation, version and binding: the client returns the right reply or error, and
 * never sends a message twice. Deadlines expire only on command, so a call that only a deadline would end hangs, and its
 * test fails.
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
import { ANSWER, type Scenario, SCENARIOS, scriptOf } from './fault-scenarios.ts';
import { CARD_TABLE, TABLE } from './fault-table.ts';
import { connected, TRANSPORTS } from './kit.ts';

interface Variant {
  readonly version: ProtocolVersion;
  readonly binding: BindingName;
  readonly isNumbered: boolean;
  readonly transport: string;
}

const PROTOCOLS: readonly (readonly [ProtocolVersion, BindingName])[] = [
  ['1.0', 'JSONRPC'],
  ['1.0', 'HTTP+JSON'],
  ['0.3', 'JSONRPC'],
  ['0.3', 'HTTP+JSON'],
  ['0.2', 'JSONRPC'],
  ['0.1', 'JSONRPC'],
];

/** The transport matters to faults of the connection and not to the version, so `fetch` is tested with one version. */
const VARIANTS: readonly Variant[] = TRANSPORTS.flatMap(([transport]) =>
  (transport === 'fetch' ? PROTOCOLS.slice(0, 1) : PROTOCOLS).flatMap(([version, binding]) =>
    [false, true].map((isNumbered) => ({ version, binding, isNumbered, transport })),
  ),
);

const LIMITS = { maxAnswerBytes: 10_000, maxEventBytes: 10_000, maxCardBytes: 10_000 };

/** Pauses take no time; deadlines expire only on command. */
function manualDeadlineClock(): Clock & { expire(): void } {
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

const nameOf = ({ version, binding, isNumbered, transport }: Variant): string =>
  `${version} ${binding} ${isNumbered ? 'numbered ' : ''}over ${transport}`;

const optionsOf = ({ transport }: Variant, clock: Clock): ConnectOptions => ({
  ...TRANSPORTS.find(([name]) => name === transport)?.[1],
  clock,
  limits: LIMITS,
  cache: false,
});

async function outcomeOf(run: Promise<string>): Promise<{ outcome: string; error?: A2AError }> {
  try {
    const text = await run;
    return { outcome: text === ANSWER ? 'reply' : text };
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    return { outcome: error.code, error };
  }
}

const sendsOf = (peer: FakePeer) =>
  peer.requests.filter(({ operation }) => operation === 'SendMessage' || operation === 'SendStreamingMessage');

/** Runs one cell of the table, and checks the rules that apply to all cells. */
async function runCell(scenario: Scenario, fault: Fault, way: Variant): Promise<string> {
  const { version, binding, isNumbered } = way;
  const work = deferred<void>();
  const script = scriptOf(scenario, work.promise);
  await using peer = await fakePeer({
    version,
    binding,
    numbersEvents: isNumbered,
    script,
    faults: scenario.faults ?? [],
  });
  const clock = manualDeadlineClock();
  const options = optionsOf(way, clock);
  const agent = await connected(peer.url, options);
  let injectedInto: OperationName | undefined;
  let before = 0;
  let events = 0;
  const running = outcomeOf(
    scenario.run({
      agent,
      isNumbered,
      options: { timeoutMs: 60_000, onProgress: () => void (events += 1) },
      reconnect: (handle) => connected(handle, options),
      inject(on) {
        injectedInto = on;
        before = peer.requests.length;
        peer.fault({ ...fault, on });
        work.resolve();
      },
    }),
  );
  if (fault.fault === 'silence') {
    const isSilent = (): boolean =>
      peer.requests.slice(before).some(({ operation, acted }) => acted && operation === injectedInto);
    const expectedEvents = scenario.column === 'stream' ? (fault.afterEvents ?? 0) : 0;
    await vi.waitUntil(() => isSilent() && events >= expectedEvents, { interval: 1, timeout: 20_000 });
    clock.expire();
  }
  const { outcome, error } = await running;
  checkSends(scenario, peer, error);
  const isTaskKnown =
    scenario.asksFirst === true || (scenario.column !== 'send' && scenario.column !== 'stream') || events > 0;
  if (error !== undefined && isTaskKnown)
    await checkHandle(error, scenario, peer, fault, (handle) => connected(handle, options));
  return outcome;
}

function checkSends({ asksFirst = false }: Scenario, peer: FakePeer, error: A2AError | undefined): void {
  const messages = asksFirst ? 2 : 1;
  const sends = sendsOf(peer);
  expect(peer.doubleSends).toEqual([]);
  expect(new Set(sends.map(({ headers }) => headers['idempotency-key'])).size).toBe(messages);
  if (error === undefined) expect(sends.filter(({ acted }) => acted)).toHaveLength(messages);
  else expect(sends).toHaveLength(messages);
}

/** The handle in the error leads back to the task once the fault is over. */
async function checkHandle(
  error: A2AError,
  scenario: Scenario,
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
  checkSends(scenario, peer, error);
}

describe.each(Object.entries(SCENARIOS))('%s', (_name, scenario) => {
  const rows = TABLE.flatMap(({ fault, outcomes, numberedOnly = false }) => {
    // Numbers of events matter only to streams.
    const usesStreams = scenario.column !== 'send' && scenario.column !== 'poll';
    const columns = VARIANTS.filter(
      ({ isNumbered, version }) =>
        (isNumbered ? usesStreams : !numberedOnly) && scenario.versions?.includes(version) !== false,
    );
    const ways = columns.flatMap((way) => {
      const expected = outcomes[scenario.columnFor?.(way) ?? scenario.column];
      return expected === undefined ? [] : [[way, expected] as const];
    });
    return ways.length === 0
      ? []
      : [[JSON.stringify({ ...fault, times: String(fault.times ?? 1) }), { fault, ways }] as const];
  });

  test.each(rows)('gives the expected reply or error after the fault %s', async (_name, { fault, ways }) => {
    const outcomes = await Promise.all(ways.map(async ([way]) => [nameOf(way), await runCell(scenario, fault, way)]));
    expect(Object.fromEntries(outcomes)).toEqual(
      Object.fromEntries(ways.map(([way, expected]) => [nameOf(way), expected])),
    );
  });
});

/** Single requests: the client repeats reads and cancellations, because a repeat does no harm. */
describe.each<[OperationName, (agent: AgentClient, taskId: string) => Promise<Task>]>([
  ['GetTask', (agent, taskId) => agent.get(taskId)],
  ['CancelTask', (agent, taskId) => agent.cancel(taskId)],
])('%s', (on, call) => {
  test.each<[Fault, string]>([
    [{ fault: 'drop', when: 'before-acting' }, 'reply'],
    [{ fault: 'drop', when: 'before-answering' }, 'reply'],
    [{ fault: 'drop', when: 'while-answering' }, 'reply'],
    [{ fault: 'drop', when: 'before-acting', times: Infinity }, 'TRANSPORT_FAILED'],
    [{ fault: 'status', status: 503 }, 'reply'],
    [{ fault: 'status', status: 502, body: '<html>' }, 'reply'],
    [{ fault: 'status', status: 504, body: '<html>' }, 'reply'],
    [{ fault: 'status', status: 500 }, 'INTERNAL_ERROR'],
    [{ fault: 'malformed-json' }, 'INVALID_AGENT_RESPONSE'],
  ])('after the fault %j gives %s', async (fault, expected) => {
    const ways = VARIANTS.filter(({ isNumbered }) => !isNumbered);
    const outcomes = await Promise.all(
      ways.map(async (way) => {
        const { version, binding } = way;
        await using peer = await fakePeer({ version, binding, script: [[{ status: 'input-required' }]] });
        const agent = await connected(peer.url, optionsOf(way, manualDeadlineClock()));
        const { task } = await agent.send('Rome');
        peer.fault({ ...fault, on });
        const result = call(agent, task?.id ?? '').then(({ id }) => (id === task?.id ? ANSWER : id));
        return (await outcomeOf(result)).outcome;
      }),
    );
    expect(outcomes).toEqual(ways.map(() => expected));
  });
});

describe('connect', () => {
  test.each(CARD_TABLE)('after the fault %j in the request for the card gives %s', async (fault, expected) => {
    const ways = VARIANTS.filter(({ isNumbered }) => !isNumbered);
    const outcomes = await Promise.all(
      ways.map(async (way) => {
        const { version, binding } = way;
        await using peer = await fakePeer({ version, binding, script: [ANSWER] });
        const clock = manualDeadlineClock();
        peer.fault({ ...fault, on: 'card' });
        const running = outcomeOf(connectAndAsk(peer.url, { ...optionsOf(way, clock), version }));
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

async function connectAndAsk(url: string, options: ConnectOptions): Promise<string> {
  const agent = await connect(url, options);
  onTestFinished(() => agent.close());
  return agent.ask('Rome');
}
