import { describe, expect, onTestFinished, test } from 'vitest';
import { A2AError } from '../../errors.ts';
import { silentLog } from '../../observe/log.ts';
import { memoryStore } from '../../store/memory/store.ts';
import { agent } from '../../agent/agent.ts';
import type { Identify } from './authenticator.ts';
import type { HttpRequest, HttpResponse } from '../http.ts';
import { anonymous } from './identify.ts';
import { handleRest } from '../../server/bindings/rest-binding.ts';
import { handleRpc } from '../../server/bindings/rpc-binding.ts';
import { Heartbeats } from '../../server/http/heartbeats.ts';
import { HandlerPaths } from '../../server/http/own-paths.ts';
import { openHost } from '../../server/open-host.ts';
import { readHandlerOptions } from '../../server/options/handler-options.ts';
import { AuditTrail } from '../../observe/audit.ts';
import { createInFlight } from '../limits/in-flight.ts';
import { MountedAgent } from '../mounted-agent.ts';

const WHO = agent({ name: 'Who', description: 'Says who asks', run: async ({ caller }) => `You are ${caller.id}` });

async function mountedWith(identify: Identify): Promise<MountedAgent> {
  const settings = readHandlerOptions('createHandler()', WHO, { store: memoryStore(), log: silentLog, auth: false });
  const { host } = openHost({
    agents: [WHO],
    settings,
    anonymousAccess: 'local',
    log: silentLog,
    audit: new AuditTrail(undefined, silentLog),
    heartbeats: new Heartbeats(1000),
    paths: new HandlerPaths([WHO.id], settings),
    isClosing: () => false,
    inFlight: createInFlight(settings.limits),
  });
  await host.start();
  onTestFinished(() => host.close({}));
  Object.assign(host.access, { identify });
  return new MountedAgent(host, WHO, settings);
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
  answer(mounted: MountedAgent, request: HttpRequest): Promise<HttpResponse>;
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
    answer: (mounted, request) => handleRpc(mounted, request, mounted.offer),
  },
  {
    name: 'REST',
    send: (headers) => requestOf('POST', '/message:send', { message: MESSAGE }, headers),
    get: (id, headers) => requestOf('GET', `/tasks/${id}`, undefined, headers),
    answer: (mounted, request) => handleRest(mounted, request, request.path ?? '/', new Set()),
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
    const mounted = await mountedWith(identify);
    const { request, seen } = send();

    const { status, body } = await answer(mounted, request);

    expect(status).toBe(401);
    expect(body).toContain('Say who you are');
    expect(seen).toEqual([]);
  });

  test.each(WAYS)('an authenticated caller has its own tasks: %s', async (_, identify) => {
    const mounted = await mountedWith(identify);
    const ann = { authorization: 'ann' };

    const { body = '' } = await answer(mounted, send(ann).request);
    const [, id = ''] = (typeof body === 'string' ? /"id":"([^"]+)"/.exec(body) : undefined) ?? [];

    expect(body).toContain('You are ann');
    expect((await answer(mounted, get(id, ann).request)).body).toContain('You are ann');
    expect((await answer(mounted, get(id, { authorization: 'bob' }).request)).body).toContain('does not exist');
  });

  test('a request is authenticated once, before anything else', async () => {
    const { request, seen } = send({ authorization: 'ann' });
    const mounted = await mountedWith((asked) => {
      seen.push('identify');
      return byHeader(asked);
    });

    await answer(mounted, request);

    expect(seen).toEqual(['identify', 'body']);
  });

  test('without authentication all callers are the same anonymous caller', async () => {
    const mounted = await mountedWith(anonymous({ anonymousAccess: 'local' }));

    expect((await answer(mounted, send().request)).body).toContain('You are anonymous');
  });
});
