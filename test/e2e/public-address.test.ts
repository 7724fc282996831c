/** Agents with an address that other machines can reach. */
import { describe, expect, test } from 'vitest';

import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { recordingLog } from '../helpers/recording-log.ts';
import { asked, bearerOf } from './auth/kinds.ts';
import { startServer, type TestServerOptions } from './kit/server.ts';
import { RPC_1 } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const CARD = { method: 'GET', path: '/.well-known/agent-card.json' };
const ALICE = bearerOf('alice-token');
const TOKENS = bearerTokens({ alice: 'alice-token' });

describe('an agent at a public address', () => {
  const AWAY = { host: 'agent.far.example' };

  test('accepts authenticated callers under any host name', async () => {
    const server = await startServer({ host: '0.0.0.0', auth: TOKENS });

    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const { json } = await server.ask({ ...CARD, headers: AWAY });
    expect(json).toMatchObject({ supportedInterfaces: [{ url: 'http://agent.far.example/a2a' }, {}, {}, {}] });
    const send = asked(RPC_1.send({ text: 'hello' }), ALICE);
    expect((await server.ask({ ...send, headers: { ...send.headers, ...AWAY } })).status).toBe(200);
    expect((await server.ask(RPC_1.send({ text: 'hello' }))).status).toBe(401);
  });

  test('with insecurePublic rejects ListTasks of anonymous callers, because the id of a task gives access to it', async () => {
    const log = recordingLog();
    const server = await startServer({ host: '0.0.0.0', insecurePublic: true, log });

    const sent = RPC_1.sent(await server.ask(RPC_1.send({ text: 'hello' })));
    if (!('task' in sent)) expect.fail('Expected a task');
    expect(RPC_1.task(await server.ask(RPC_1.get(sent.task.id)))).toMatchObject({ state: 'completed' });
    for (const ask of [
      rpc('1.0', 'ListTasks', {}),
      { method: 'GET', path: '/tasks', headers: { 'a2a-version': '1.0' } },
    ]) {
      const answer = await server.ask(ask);
      expect(answer.status).toBe(403);
      expect(answer.text).not.toContain(sent.task.id);
    }
    expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'warn: Authentication is not configured: every caller that can reach this agent is accepted',
      'warn: Request rejected',
      'warn: Request rejected',
    ]);
  });

  test('with insecurePublic rejects ListTasks through a proxy that is not configured, too', async () => {
    const server = await startServer({ insecurePublic: true });

    expect((await server.ask(RPC_1.send({ text: 'private words' }))).status).toBe(200);
    for (const ask of [
      rpc('1.0', 'ListTasks', {}),
      { method: 'GET', path: '/tasks', headers: { 'a2a-version': '1.0', 'x-forwarded-for': '203.0.113.9' } },
    ]) {
      const answer = await server.ask(ask);
      expect(answer.status).toBe(403);
      expect(answer.text).not.toContain('private words');
    }
  });

  test.each<[string, TestServerOptions]>([
    ['publicUrl', { publicUrl: 'https://agent.example' }],
    ['trustProxy', { trustProxy: true }],
  ])('is one with %s: ListTasks needs credentials', async (_, options) => {
    const log = recordingLog();
    const open = await startServer({ ...options, insecurePublic: true, log });
    const closed = await startServer({ ...options, auth: TOKENS });

    expect((await open.ask(rpc('1.0', 'ListTasks', {}))).status).toBe(403);
    expect(log.lines[0]?.message).toBe(
      'Authentication is not configured: every caller that can reach this agent is accepted',
    );
    expect((await closed.ask(asked(rpc('1.0', 'ListTasks', {}), ALICE))).status).toBe(200);
  });

  test('is not one if publicUrl is an address of this machine: ListTasks is accepted', async () => {
    const server = await startServer({ publicUrl: 'http://localhost:4100', insecurePublic: false });

    expect((await server.ask(rpc('1.0', 'ListTasks', {}))).status).toBe(200);
  });

  test('rejects ListTasks of guests', async () => {
    const server = await startServer({ auth: () => ({ id: 'guest', isVerified: false }) });

    expect((await server.ask(RPC_1.send({ text: 'hello' }))).status).toBe(200);
    expect((await server.ask(rpc('1.0', 'ListTasks', {}))).status).toBe(403);
  });

  test.each<[string, TestServerOptions, readonly string[]]>([
    [
      'without auth',
      { insecurePublic: false },
      ['Authentication is not configured: every program on this machine can call this agent'],
    ],
    ['with insecurePublic', { insecurePublic: true }, []],
    ['with auth', { auth: TOKENS }, []],
  ])('only on this machine and %s logs one warning at most', async (_, options, lines) => {
    const log = recordingLog();
    await startServer({ log, ...options });

    expect(log.lines.map(({ message }) => message)).toEqual(lines);
  });
});
