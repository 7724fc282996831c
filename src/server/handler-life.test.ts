import { expect, onTestFinished, test, vi } from 'vitest';
import { connect } from '../index.ts';
import { silentLog } from '../observe/log.ts';
import { memoryStore } from '../store/memory/store.ts';
import type { Store } from '../store/store.ts';
import { deferred } from '../support/deferred.ts';
import { agent } from '../agent/agent.ts';
import { fakeClock, waitForState } from '../testing/index.ts';
import { createHandler } from './handler.ts';

const ASKING = agent({
  name: 'Asking',
  description: 'Asks, and waits.',
  run: async ({ ask }) => ask('Well?'),
});

/** A store whose one method throws as long as `isBroken`, waits for `goOn` if `isHanging`, and counts its calls. */
function breakable(method: keyof Store) {
  const state = { isBroken: false, isHanging: false, goOn: deferred<void>(), calls: 0 };
  const store = new Proxy(memoryStore(), {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        if (key === method) {
          state.calls += 1;
          if (state.isBroken) return Promise.reject(new Error('The database is late'));
          if (state.isHanging) return state.goOn.promise.then(() => Reflect.apply(member, target, args) as unknown);
        }
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
  return { store, state };
}

function sending(path: string): Request {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const headers = { 'content-type': 'application/json' };
  return new Request(`http://localhost${path}`, { method: 'POST', headers, body: JSON.stringify({ message }) });
}

test('a handler that is closed before its start stays closed', async () => {
  const { store, state } = breakable('heartbeat');
  const handler = createHandler(ASKING, { store });

  await handler.close();
  const answer = await handler.fetch(sending('/message:send'));

  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await answer.json()).toMatchObject({ error: { message: 'The agent is closed' } });
  await expect(handler.start()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'The agent is closed' });
  expect(state.calls).toBe(0);
});

test.each([
  ['1.0', -32603],
  ['0.3', -32603],
])('a closed handler responds over JSON-RPC %s with an error in that format', async (version, code) => {
  const handler = createHandler(ASKING);
  await handler.close();
  const request = sending('/a2a');
  request.headers.set('a2a-version', version);

  const answer = await handler.fetch(request);

  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await answer.json()).toMatchObject({
    jsonrpc: '2.0',
    id: null,
    error: { code, message: 'The agent is closed' },
  });
});

test('the next start() retries after a failed one', async () => {
  const { store, state } = breakable('heartbeat');
  const handler = createHandler(ASKING, { store, log: silentLog });
  onTestFinished(() => handler.close());
  state.isBroken = true;
  const late = await handler.fetch(new Request('http://localhost/readyz'));
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
  await expect(handler.start()).rejects.toThrow('The database is late');

  state.isBroken = false;
  await handler.start();

  expect((await handler.fetch(new Request('http://localhost/readyz'))).status).toBe(200);
});

test('readyz is 503 while the store fails, and 200 when it works again', async () => {
  const { store, state } = breakable('read');
  const handler = createHandler(ASKING, { store, log: silentLog });
  onTestFinished(() => handler.close());
  const ready = async (): Promise<readonly unknown[]> => {
    const answer = await handler.fetch(new Request('http://localhost/readyz'));
    return [answer.status, await answer.json(), answer.headers.get('retry-after')];
  };
  expect(await ready()).toEqual([200, { status: 'ready' }, null]);

  state.isBroken = true;
  expect(await ready()).toEqual([503, { status: 'store unavailable' }, '1']);
  expect((await handler.fetch(new Request('http://localhost/healthz'))).status).toBe(200);

  state.isBroken = false;
  expect(await ready()).toEqual([200, { status: 'ready' }, null]);
});

test('readyz is 503 while a mounted handler closes, and afterwards', async () => {
  const gate = deferred<string>();
  const slow = agent({ name: 'Slow', description: 'Takes its time.', run: () => gate.promise });
  const handler = createHandler(slow, { store: memoryStore() });
  const sent = handler.fetch(sending('/message:send'));
  const ready = async (): Promise<readonly unknown[]> => {
    const answer = await handler.fetch(new Request('http://localhost/readyz'));
    return [answer.status, answer.headers.get('retry-after')];
  };
  expect(await ready()).toEqual([200, null]);
  const closing = handler.close({ finishMs: 60_000 });

  expect(await ready()).toEqual([503, '1']);
  gate.resolve('done');
  await closing;
  expect((await sent).status).toBe(200);
  expect(await ready()).toEqual([503, '1']);
});

test('readyz responds without waiting for a store that hangs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { store, state } = breakable('read');
  const handler = createHandler(ASKING, { store, log: silentLog });
  onTestFinished(() => handler.close());
  await handler.start();
  state.isHanging = true;

  const asked = handler.fetch(new Request('http://localhost/readyz'));
  await vi.advanceTimersByTimeAsync(2000);
  const answer = await asked;

  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await answer.json()).toEqual({ status: 'store unavailable' });
});

test('readyz responds without waiting for a start that hangs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { store, state } = breakable('heartbeat');
  const handler = createHandler(ASKING, { store, log: silentLog });
  onTestFinished(() => handler.close());
  state.isHanging = true;

  const asked = handler.fetch(new Request('http://localhost/readyz'));
  const others = handler.fetch(sending('/message:send'));
  await vi.waitFor(() => expect(state.calls).toBe(1));
  await vi.advanceTimersByTimeAsync(2000);
  const answer = await asked;

  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  state.goOn.resolve();
  expect((await others).status).toBe(200);
  expect((await handler.fetch(new Request('http://localhost/readyz'))).status).toBe(200);
});

test('a closed handler sends no heartbeats on unread streams', async () => {
  const handler = createHandler(ASKING, { store: memoryStore() });
  const { status } = await handler.fetch(sending('/message:stream'));
  expect([status, handler.heartbeats.size]).toEqual([200, 1]);

  await handler.close();

  expect(handler.heartbeats.size).toBe(0);
});

test('tasks sleep by the clock of the options, also without a store', async () => {
  const clock = fakeClock();
  const sleeper = agent({
    name: 'Sleeper',
    description: 'Sleeps for an hour.',
    async run({ sleep }) {
      await sleep(3_600_000);
      return 'awake';
    },
  });
  const handler = createHandler(sleeper, { clock, log: silentLog });
  onTestFinished(() => handler.close());
  const client = await connect(handler);
  onTestFinished(() => client.close());

  const { task } = await client.send('hi', { wait: 'none' });
  const remote = client.task(task?.id ?? '');
  await waitForState(remote, 'working');
  clock.advance(3_599_000);
  expect((await remote.get()).status.state).toBe('TASK_STATE_WORKING');
  clock.advance(1000);
  expect((await remote.wait()).text).toBe('awake');
});

test('a clock without callAt() is rejected', () => {
  const options = { clock: { now: Date.now } } as never;
  expect(() => createHandler(ASKING, options)).toThrow('clock: expected a clock such as fakeClock(), with the methods');
});
