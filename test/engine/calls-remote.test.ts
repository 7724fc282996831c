/** Calls to agents on other hosts, against a scripted peer: it asks, dies, loses its responses and streams. */
import { describe, expect, test } from 'vitest';
import {
  type Peer,
  type PeerAnswer,
  type PeerCall,
  PeerError,
  type PeerHint,
  type Peers,
  type PeerState,
  type PeerUpdate,
} from '../../src/engine/calls/peers.ts';
import type { Handler } from '../../src/engine/handler.ts';
import type { TaskState } from '../../src/model/state.ts';
import type { Task } from '../../src/model/task.ts';
import { deferred } from '../../src/support/deferred.ts';
import { sha256 } from '../../src/support/secret/sha256.ts';
import { calling, failureOf, tasksOf } from './calling.ts';
import { pass, turns } from './cluster.ts';
import { ANN, artifactText, type Harness, statusText, STORES, until } from './harness.ts';

/** A task of the peer. */
function task(state: TaskState, text?: string, more: Partial<Task> = {}): PeerState {
  const message = { messageId: `q ${text}`, role: 'ROLE_AGENT' as const, parts: [{ text: text ?? '' }] };
  return {
    kind: 'task',
    task: { id: 'remote', contextId: 'c', status: text === undefined ? { state } : { state, message }, ...more },
  };
}

const WORKING = task('TASK_STATE_WORKING');
const done = (text: string): PeerState =>
  task('TASK_STATE_COMPLETED', undefined, { artifacts: [{ artifactId: 'response', parts: [{ text }] }] });

/** A peer whose task is in a state that the test sets. Its requests are noted. */
class ScriptedPeer implements Peer {
  readonly name = 'crm';
  readonly requests: string[] = [];
  readonly calls: PeerCall[] = [];
  readonly answers: PeerAnswer[] = [];
  state: PeerState = WORKING;
  readonly #failures: { readonly name: string; readonly error: PeerError }[] = [];
  onAnswer: () => void = () => {};
  onCancel: () => void = () => (this.state = task('TASK_STATE_CANCELED'));
  attached: 'found' | 'unknown' = 'found';
  updates: (() => AsyncIterable<PeerUpdate>) | undefined;

  readonly start = async (call: PeerCall): Promise<PeerState> => {
    this.calls.push(call);
    return this.#request('start');
  };

  readonly attach = async (): Promise<PeerState | undefined> => {
    const state = this.#request('attach');
    return this.attached === 'unknown' ? undefined : state;
  };

  readonly get = async (): Promise<PeerState> => this.#request('get');

  readonly follow = async (): Promise<AsyncIterable<PeerUpdate> | undefined> => {
    this.requests.push('follow');
    return this.updates?.();
  };

  /** The response to a request for notifications. */
  hints: boolean | PeerError = false;
  /** The tokens to send along with them. */
  readonly tokens: string[] = [];

  readonly requestHints = async (_call: PeerCall, _taskId: string, { token }: PeerHint): Promise<boolean> => {
    this.requests.push('hints');
    this.tokens.push(token);
    if (this.hints instanceof PeerError) throw this.hints;
    return this.hints;
  };

  readonly answer = async (_call: PeerCall, _taskId: string, answer: PeerAnswer): Promise<PeerState> => {
    this.answers.push(answer);
    this.#request('answer');
    this.onAnswer();
    return this.state;
  };

  readonly cancel = async (): Promise<PeerState> => {
    this.#request('cancel');
    this.onCancel();
    return this.state;
  };

  /** Fails the next requests of a kind. */
  fail(name: string, error: PeerError, times = 1): void {
    for (let i = 0; i < times; i++) this.#failures.push({ name, error });
  }

  #request(name: string): PeerState {
    this.requests.push(name);
    const at = this.#failures.findIndex((failure) => failure.name === name);
    const [failure] = at < 0 ? [] : this.#failures.splice(at, 1);
    if (failure !== undefined) throw failure.error;
    return this.state;
  }
}

const callsCrm: Handler = async ({ call }) => (await call('crm', 'x')).text;
const failureText: Handler = async ({ call }) => (await failureOf(call('crm', 'x'))).message;

/** Lets time pass until a promise resolves, because a peer is polled. */
async function passUntil<T>({ clock }: Harness, promise: Promise<T>): Promise<T> {
  for (let i = 0; i < 400; i++) {
    const state = await Promise.race([promise.then(() => 'settled'), pass(clock, 250, 250)]);
    if (state === 'settled') break;
  }
  return promise;
}

describe.each(STORES)('on $name', (variant) => {
  async function opened(run: Handler = callsCrm, canHint = false): Promise<{ peer: ScriptedPeer; host: Harness }> {
    const peer = new ScriptedPeer();
    const peers: Peers = { canHint, find: (reference) => (reference === 'crm' ? peer : undefined) };
    return { peer, host: await calling(run, {}, { variant, peers }) };
  }

  test('a call to a peer is sent once and polled until it ends', async () => {
    const { peer, host } = await opened();
    const sent = host.task('go');
    await until(() => peer.requests.length > 0);
    await pass(host.clock, 5000, 250);
    peer.state = done('found');
    await pass(host.clock, 5000, 250);

    expect(artifactText(await sent)).toBe('found');
    expect(peer.requests.filter((name) => name === 'start')).toHaveLength(1);
    expect(peer.requests).toContain('get');
    const [call] = peer.calls;
    expect(call).toMatchObject({
      caller: { id: 'ann' },
      lineage: { depth: 1, path: ['agent'] },
      message: { messageId: call?.id },
    });
  });

  test('a peer that notifies the host is asked once, and not followed or polled until it does', async () => {
    const { peer, host } = await opened(callsCrm, true);
    peer.hints = true;
    const sent = host.task('go');
    await until(() => peer.requests.length >= 3);
    await pass(host.clock, 60_000, 5000);
    expect(peer.requests).toEqual(['start', 'hints', 'get']);
    peer.state = done('found');
    const [call] = peer.calls;
    const taskId = await host.engine.callHint(call?.id ?? '', await sha256(peer.tokens[0] ?? ''));

    expect(artifactText(await sent)).toBe('found');
    expect(await tasksOf(host, 'agent')).toMatchObject([{ id: taskId }]);
    expect(peer.requests).toEqual(['start', 'hints', 'get', 'get']);
  });

  test('a child that ends before its peer gets the request for notifications is not missed', async () => {
    const { peer, host } = await opened(callsCrm, true);
    peer.hints = true;
    Object.assign(peer, {
      requestHints: async () => {
        peer.state = done('found');
        return true;
      },
    });

    expect(artifactText(await host.task('go'))).toBe('found');
  });

  test('a lost notification costs at most five minutes', async () => {
    const { peer, host } = await opened(callsCrm, true);
    peer.hints = true;
    const sent = host.task('go', { returnImmediately: true });
    await until(() => peer.requests.length >= 3);
    await turns();
    peer.state = done('found');
    await pass(host.clock, 5 * 60_000, 5000);

    await until(async () => (await host.store.unfinished(ANN, 1)).total === 0);
    expect(artifactText(await host.engine.get(ANN, (await sent).id))).toBe('found');
    expect(peer.requests).toEqual(['start', 'hints', 'get', 'get']);
  });

  test.each([
    ['declines', false],
    ['fails', new PeerError('unreachable', 'Connection reset')],
  ])('a peer that %s to notify the host is asked once and polled', async (_, hints) => {
    const { peer, host } = await opened(callsCrm, true);
    peer.hints = hints;
    const sent = host.task('go');
    await until(() => peer.requests.length > 0);
    await pass(host.clock, 5000, 250);
    peer.state = done('found');

    expect(artifactText(await passUntil(host, sent))).toBe('found');
    expect(peer.requests.filter((name) => name === 'hints')).toHaveLength(1);
  });

  test('the question of a child whose peer notifies the host is passed on and answered', async () => {
    const { peer, host } = await opened(callsCrm, true);
    peer.hints = true;
    const sent = host.task('go');
    await until(() => peer.requests.length >= 3);
    await turns();
    peer.state = task('TASK_STATE_INPUT_REQUIRED', 'Name?');
    const [call] = peer.calls;
    await host.engine.callHint(call?.id ?? '', await sha256(peer.tokens[0] ?? ''));
    const asking = await sent;
    expect(statusText(asking)).toBe('Name?');
    peer.onAnswer = () => (peer.state = done('hello Ann'));

    expect(artifactText(await host.reply(asking, 'Ann'))).toBe('hello Ann');
  });

  test('a notification with another token, of an unknown call or of a call that has ended changes nothing', async () => {
    const { peer, host } = await opened(callsCrm, true);
    peer.hints = true;
    const sent = host.task('go');
    await until(() => peer.requests.length >= 3);
    await turns();
    const id = peer.calls[0]?.id ?? '';
    const digest = await sha256(peer.tokens[0] ?? '');
    const before = await host.store.listCalls({ limit: 10 });
    expect(JSON.stringify(before)).not.toContain(peer.tokens[0]);
    expect(await host.engine.callHint(id, await sha256('wrong'))).toBeUndefined();
    expect(await host.engine.callHint(id, '')).toBeUndefined();
    expect(await host.engine.callHint('unknown', digest)).toBeUndefined();
    expect(await host.store.listCalls({ limit: 10 })).toEqual(before);
    peer.state = done('found');
    await host.engine.callHint(id, digest);
    await sent;
    expect(await host.engine.callHint(id, digest)).toBeUndefined();
  });

  test('a host that peers cannot notify does not ask for it', async () => {
    const { peer, host } = await opened();
    const sent = host.task('go');
    await until(() => peer.requests.length > 0);
    peer.state = done('found');
    await passUntil(host, sent);
    expect(peer.requests).not.toContain('hints');
  });

  test('a message without a task is a result at once', async () => {
    const { peer, host } = await opened();
    peer.state = { kind: 'message', message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hello' }] } };

    expect(artifactText(await host.task('go'))).toBe('hello');
  });

  test('a message that cannot have been sent is sent again', async () => {
    const { peer, host } = await opened();
    peer.fail('start', new PeerError('unreachable', 'Connection refused', { isUnsent: true }), 2);
    peer.state = done('found');

    expect(artifactText(await passUntil(host, host.task('go')))).toBe('found');
    expect(peer.requests).toEqual(['start', 'start', 'start']);
  });

  test('a message that may have been sent is looked for and not sent again', async () => {
    const { peer, host } = await opened();
    peer.fail('start', new PeerError('unreachable', 'Connection reset'));
    peer.state = done('found');

    expect(artifactText(await passUntil(host, host.task('go')))).toBe('found');
    expect(peer.requests).toEqual(['start', 'attach']);
  });

  test('a call whose task the peer does not reveal ends as uncertain', async () => {
    const { peer, host } = await opened(failureText);
    peer.fail('start', new PeerError('unreachable', 'Connection reset'));
    peer.attached = 'unknown';

    expect(artifactText(await passUntil(host, host.task('go')))).toContain('The call to crm has an unknown outcome');
    expect(peer.requests).toEqual(['start', 'attach']);
  });

  test('a process that dies before it has sent a call leaves it to attach', async () => {
    const { peer, host } = await opened();
    const isHeld = deferred<void>();
    Object.assign(peer, {
      start: async () => {
        peer.requests.push('start');
        isHeld.resolve();
        return new Promise<never>(() => {});
      },
    });
    void host.task('go').catch(() => {});
    await isHeld.promise;
    const second = await host.crash();
    peer.state = done('found');
    await pass(second.clock, 5000, 500);

    await until(async () => (await second.store.unfinished(ANN, 1)).total === 0);
    expect(peer.requests).toEqual(['start', 'attach']);
  });

  test('a task that must not run again fails with its process, and its call is canceled', async () => {
    const peer = new ScriptedPeer();
    const peers: Peers = { find: () => peer };
    const run: Handler = async ({ call, step }) => {
      // The step keeps the run from being suspended.
      await Promise.all([call('crm', 'x'), step('hold', () => new Promise<never>(() => {}))]);
    };
    const host = await calling(run, {}, { variant, peers, limits: { recovery: 'fail' } });
    const { id } = await host.task('go', { returnImmediately: true });
    await until(() => peer.requests.includes('start'));
    await turns();
    const second = await host.crash();
    await pass(second.clock, 5000, 500);

    await until(async () => (await second.store.countCalls(ANN)) === 0);
    expect((await second.engine.get(ANN, id)).status.state).toBe('TASK_STATE_FAILED');
    expect(peer.requests).toContain('cancel');
    expect(peer.requests.filter((name) => name === 'start')).toHaveLength(1);
  });

  test('a peer that cannot be reached for long ends the call as unreachable', async () => {
    const { peer, host } = await opened(failureText);
    peer.fail('start', new PeerError('unreachable', 'Connection refused', { isUnsent: true }), 200);
    const { id } = await host.task('go', { returnImmediately: true });
    await until(() => peer.requests.length > 0);
    await pass(host.clock, 17 * 60_000, 5000);

    expect(artifactText(await host.engine.get(ANN, id))).toBe('The call to crm could not be made: Connection refused');
  });

  test('a rejected request ends the call as rejected', async () => {
    const { peer, host } = await opened(failureText);
    peer.fail('start', new PeerError('rejected', 'Unknown skill'));

    expect(artifactText(await host.task('go'))).toBe('The call to crm was rejected: Unknown skill');
  });

  test('a question of a peer is asked and answered, and an answer that it rejects is asked for again', async () => {
    const { peer, host } = await opened();
    peer.state = task('TASK_STATE_INPUT_REQUIRED', 'Name?');
    const asking = await host.task('go');
    expect(statusText(asking)).toBe('Name?');
    peer.fail('answer', new PeerError('rejected', 'Expected a name'));
    const again = await passUntil(host, host.reply(asking, '?'));
    expect(statusText(again)).toBe('Expected a name\nName?');
    peer.onAnswer = () => (peer.state = done('hello Ann'));
    const last = await passUntil(host, host.reply(again, 'Ann'));

    expect(artifactText(last)).toBe('hello Ann');
    expect(peer.answers.map(({ questionId, message }) => [questionId, message.parts])).toEqual([
      ['q Name?', [{ text: '?' }]],
      ['q Name?', [{ text: 'Ann' }]],
    ]);
  });

  test('an answer that is sent twice has the same id', async () => {
    const { peer, host } = await opened();
    peer.state = task('TASK_STATE_INPUT_REQUIRED', 'Name?');
    const asking = await host.task('go');
    peer.fail('answer', new PeerError('unreachable', 'Connection reset'));
    peer.onAnswer = () => (peer.state = done('hello Ann'));

    expect(artifactText(await passUntil(host, host.reply(asking, 'Ann')))).toBe('hello Ann');
    expect(peer.answers).toHaveLength(2);
    expect(peer.answers[0]?.message.messageId).toBe(peer.answers[1]?.message.messageId);
  });

  test('a followed peer relays status texts and an artifact', async () => {
    const run: Handler = async ({ call }) => {
      await call('crm', 'x', { progress: 'relay', relay: { artifact: 'report' } });
    };
    const { peer, host } = await opened(run);
    const gate = deferred<void>();
    peer.updates = async function* () {
      yield { kind: 'progress', text: 'Reading', event: 2 };
      yield { kind: 'artifact', name: 'report', parts: [{ text: 'one ' }], append: true, event: 3 };
      await gate.promise;
      yield { kind: 'artifact', name: 'other', parts: [{ text: 'no' }], append: true, event: 4 };
      yield { kind: 'artifact', name: 'report', parts: [{ text: 'two' }], append: true, event: 5 };
      peer.state = done('ready');
      yield { kind: 'settled', state: peer.state };
    };
    const sent = host.task('go');
    await until(() => peer.requests.includes('follow'));
    await pass(host.clock, 3000, 250);
    gate.resolve();
    await pass(host.clock, 3000, 250);

    const completed = await sent;
    expect(artifactText(completed, 'report')).toBe('one two');
    expect(artifactText(completed, 'other')).toBeUndefined();
    expect(JSON.stringify(completed.history)).toContain('crm: Reading');
  });

  test('a cancel reaches the peer, and is repeated until the peer has canceled', async () => {
    const { peer, host } = await opened();
    let cancels = 0;
    peer.onCancel = () => {
      if (++cancels === 2) peer.state = task('TASK_STATE_CANCELED');
    };
    const sent = host.task('go');
    await until(() => peer.requests.length > 0);
    await turns();
    const [parent] = (await host.store.allTasks?.({ limit: 1 })) ?? [];
    peer.fail('cancel', new PeerError('unreachable', 'Connection refused'));
    const cancel = host.engine.cancel(ANN, parent?.id ?? '');
    await pass(host.clock, 20_000, 250);
    await cancel;

    expect((await sent).status.state).toBe('TASK_STATE_CANCELED');
    expect(peer.requests.filter((name) => name === 'cancel')).toHaveLength(3);
    expect(await host.store.countCalls(ANN)).toBe(0);
  });

  test('a peer that cannot be reached for a day leaves a call that was given up, with the reason', async () => {
    const { peer, host } = await opened();
    const sent = host.task('go');
    await until(() => peer.requests.length > 0);
    await turns();
    const [parent] = (await host.store.allTasks?.({ limit: 1 })) ?? [];
    for (let i = 0; i < 10_000; i++) peer.fail('cancel', new PeerError('unreachable', 'Connection refused'));
    const cancel = host.engine.cancel(ANN, parent?.id ?? '');
    await pass(host.clock, 5000, 250);
    await cancel;
    await sent;
    await pass(host.clock, 25 * 60 * 60_000, 60_000);

    const [given] = await host.store.listCalls({ hasFailed: true, limit: 10 });
    expect(given).toMatchObject({ taskId: parent?.id, failed: 'Connection refused' });
  });

  test('a peer that this node does not know is left to other nodes', async () => {
    const peer = new ScriptedPeer();
    let finds = 0;
    // Known when the handler makes the call, and not when the node claims it first.
    const peers: Peers = { find: () => (++finds === 2 ? undefined : peer) };
    const host = await calling(callsCrm, {}, { variant, peers });
    peer.state = done('found');
    const sent = host.task('go');
    await until(() => host.log.some(({ message }) => message === 'The peer of a call is not known on this node'));
    expect(peer.requests).toEqual([]);
    await pass(host.clock, 2000, 250);

    expect(artifactText(await sent)).toBe('found');
    expect(peer.requests).toEqual(['start']);
  });
});
