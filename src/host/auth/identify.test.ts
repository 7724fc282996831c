import { describe, expect, onTestFinished, test } from 'vitest';
import { Engine } from '../../engine/engine.ts';
import { A2AError } from '../../errors.ts';
import { silentLog } from '../../observe/log.ts';
import { memoryStore } from '../../store/memory/store.ts';
import { agent } from '../../agent/agent.ts';
import { Access } from './access.ts';
import type { Identify } from './authenticator.ts';
import { Deviations } from '../deviations.ts';
import { Failures } from '../failure.ts';
import type { HttpRequest, HttpResponse } from '../http.ts';
import { AddressGuard } from '../../push/address-guard.ts';
import { PROTOCOL_VERSIONS } from '../../wire/version.ts';
import { anonymous } from './identify.ts';
import { FailedLogins } from '../limits/failed-logins.ts';
import { DEFAULT_LIMITS } from '../limits/limit-settings.ts';
import { BytesInFlight } from '../limits/bytes-in-flight.ts';
import { createLimits } from '../limits/service-limits.ts';
import { handleRest } from '../../server/bindings/rest-binding.ts';
import { handleRpc } from '../../server/bindings/rpc-binding.ts';
import { systemClock } from '../../support/time/clock.ts';
import { TimerHeap } from '../../support/time/timer-heap.ts';
import type { Service } from '../../server/service.ts';

const LIMITS = { ...DEFAULT_LIMITS, given: new Set<never>() };
const WHO = agent({ name: 'Who', description: 'Says who asks', run: async ({ caller }) => `You are ${caller.id}` });

async function serviceOf(identify: Identify): Promise<Service> {
  const engine = await Engine.start({ store: memoryStore(), agents: [WHO] });
  onTestFinished(() => engine.close());
  return {
    engine,
    agent: WHO,
    failures: new Failures(silentLog),
    deviations: new Deviations(silentLog),
    identify,
    offer: { versions: PROTOCOL_VERSIONS, strict: false },
    streaming: true,
    pushNotifications: false,
    stateTransitionHistory: false,
    pushGuard: new AddressGuard(),
    deduplicateByMessageId: true,
    maxBodyBytes: 1000,
    keepsTraces: true,
    timers: new TimerHeap(systemClock),
    observer: undefined,
    isClosing: () => false,
    limits: createLimits({ settings: LIMITS, agent: WHO.id }, new BytesInFlight('response', LIMITS)),
    access: new Access({
      auth: undefined,
      access: undefined,
      publicUrl: undefined,
      anonymousAccess: 'local',
      logins: new FailedLogins(LIMITS),
    }),
  };
}

interface Sent {
  readonly request: HttpRequest;
  /** In the order in which it happened. */
  readonly seen: string[];
}

function requestOf(method: string, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Sent {
  const all: Readonly<Record<string, string>> = {
    'content-type': 'application/json',
    'a2a-version': '1.0',
    ...headers,
  };
  const seen: string[] = [];
  const request: HttpRequest = {
    method,
    path,
    query: '',
    base: 'http://127.0.0.1',
    signal: new AbortController().signal,
    header: (name) => all[name],
    body: async () => {
      seen.push('body');
      return { text: body === undefined ? '' : JSON.stringify(body) };
    },
  };
  return { request, seen };
}

interface Binding {
  readonly name: string;
  send(headers?: Readonly<Record<string, string>>): Sent;
  get(id: string, headers?: Readonly<Record<string, string>>): Sent;
  answer(service: Service, request: HttpRequest): Promise<HttpResponse>;
}

const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Who am I?' }] };

function rpc(method: string, params: unknown): unknown {
  return { jsonrpc: '2.0', id: 1, method, params };
}

const BINDINGS: readonly Binding[] = [
  {
    name: 'JSON-RPC',
    send: (headers) => requestOf('POST', '/a2a', rpc('SendMessage', { message: MESSAGE }), headers),
    get: (id, headers) => requestOf('POST', '/a2a', rpc('GetTask', { id }), headers),
    answer: (service, request) => handleRpc(service, request, service.offer),
  },
  {
    name: 'REST',
    send: (headers) => requestOf('POST', '/message:send', { message: MESSAGE }, headers),
    get: (id, headers) => requestOf('GET', `/tasks/${id}`, undefined, headers),
    answer: (service, request) => handleRest(service, request, request.path ?? '/', new Set()),
  },
];

const byHeader: Identify = (request) => {
  const id = request.header('authorization');
  if (id === undefined) throw new A2AError('UNAUTHENTICATED', 'Say who you are');
  return { id, isVerified: true };
};

const WAYS: readonly (readonly [string, Identify])[] = [
  ['at once', byHeader],
  ['after a while', async (request) => byHeader(request)],
];

describe.each(BINDINGS)('$name', ({ send, get, answer }) => {
  test.each(WAYS)('an unauthenticated request is rejected before its body is read: %s', async (_, identify) => {
    const service = await serviceOf(identify);
    const { request, seen } = send();

    const { status, body } = await answer(service, request);

    expect(status).toBe(401);
    expect(body).toContain('Say who you are');
    expect(seen).toEqual([]);
  });

  test.each(WAYS)('an authenticated caller has its own tasks: %s', async (_, identify) => {
    const service = await serviceOf(identify);
    const ann = { authorization: 'ann' };

    const { body = '' } = await answer(service, send(ann).request);
    const [, id = ''] = (typeof body === 'string' ? /"id":"([^"]+)"/.exec(body) : undefined) ?? [];

    expect(body).toContain('You are ann');
    expect((await answer(service, get(id, ann).request)).body).toContain('You are ann');
    expect((await answer(service, get(id, { authorization: 'bob' }).request)).body).toContain('does not exist');
  });

  test('a request is authenticated once, before anything else', async () => {
    const { request, seen } = send({ authorization: 'ann' });
    const service = await serviceOf((asked) => {
      seen.push('identify');
      return byHeader(asked);
    });

    await answer(service, request);

    expect(seen).toEqual(['identify', 'body']);
  });

  test('without authentication all callers are the same anonymous caller', async () => {
    const service = await serviceOf(anonymous({ anonymousAccess: 'local' }));

    expect((await answer(service, send().request)).body).toContain('You are anonymous');
  });
});
