import { silentLog } from '../../src/observe/log.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AgentHandler, createHandler, memoryStore } from '../../src/server/index.ts';
import { createTestAgent, type TestAgent } from '../peers/test-agent.ts';
import { all, fold, taskOf, textsOf } from '../peers/peer.ts';
import { connect } from '../peers/sdk-1.ts';

const JSON_TYPE = { 'content-type': 'application/json' } as const;

/** A way to mount an agent in a framework, beside the routes of `APP_ROUTES`. */
export interface Mount {
  readonly name: string;
  /** The path of the agent, without a slash at the end. */
  readonly prefix: string;
  /** Set if the handler gets paths with the prefix. */
  readonly basePath?: string;
  /** Listens on a free port of 127.0.0.1 until the test is over. */
  open(handler: AgentHandler): Promise<string>;
}

/** The other routes of the application: a page at the root, one below the agent, and one that accepts JSON. */
export const APP_ROUTES = { home: '/', below: '/agent/extra', echo: '/echo' } as const;

interface Opened extends TestAgent {
  readonly origin: string;
  /** The address of the agent. */
  readonly url: string;
}

async function open(
  { prefix, basePath = '/', open }: Mount,
  limits?: Parameters<typeof createTestAgent>[0],
): Promise<Opened> {
  const testAgent = createTestAgent(limits);
  const handler = createHandler(testAgent.agent, { store: memoryStore(), log: silentLog, basePath });
  onTestFinished(() => handler.close({ finishMs: 0 }));
  const origin = await open(handler);
  return { ...testAgent, origin, url: origin + prefix };
}

/** A message whose task completes when the test resolves `gate`. */
export function waitRequest(): { readonly method: 'POST'; readonly headers: typeof JSON_TYPE; readonly body: string } {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'wait' }] };
  return { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ message }) };
}

/** The behaviour of an agent in every framework and mount. */
export function mountBehaviours(framework: string, mounts: readonly Mount[]): void {
  describe.each(mounts)(`${framework}, $name`, (mount) => {
    test('the addresses in the card work over both bindings', async () => {
      const { url } = await open(mount);
      const response = await fetch(`${url}/.well-known/agent-card.json`);
      const card = (await response.json()) as { readonly supportedInterfaces: readonly { readonly url: string }[] };
      expect(new Set(card.supportedInterfaces.map((one) => one.url))).toEqual(new Set([`${url}/a2a`, url]));
      for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
        const peer = await connect(`${url}/`, binding);
        const sent = taskOf(await peer.send({ text: 'Grüße, 世界 🌍' }));
        expect(textsOf(sent)).toEqual({ echo: 'Grüße, 世界 🌍' });
        expect(await peer.get(sent.id)).toEqual(sent);
        const streamed = fold(await all(peer.stream({ text: 'report' })));
        expect(await peer.get(streamed.id)).toEqual(streamed);
      }
    });

    test('the path of the mount accepts JSON-RPC, with and without a slash at its end', async () => {
      const { url } = await open(mount);
      for (const address of new Set([url === new URL(url).origin ? `${url}/` : url, `${url}/`])) {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ListTasks', params: {} });
        const response = await fetch(address, { method: 'POST', headers: JSON_TYPE, body });
        expect(await response.json()).toMatchObject({ id: 7, result: { totalSize: 0 } });
      }
    });

    test('a REST request without a body is accepted, with and without a content type', async () => {
      const { url, gate } = await open(mount);
      const peer = await connect(`${url}/`, 'HTTP+JSON');
      const { id } = taskOf(await peer.send({ text: 'wait', returnImmediately: true }));
      for (const headers of [JSON_TYPE, {}]) {
        const response = await fetch(`${url}/tasks/${id}:cancel`, { method: 'POST', headers });
        expect(await response.json()).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
      }
      gate.resolve();
    });

    test('the other routes of the application still respond', async () => {
      const { origin } = await open(mount);
      const read = async (path: string, init?: RequestInit): Promise<unknown> =>
        (await fetch(origin + path, init)).text();
      expect(await read(APP_ROUTES.home)).toBe('home');
      expect(await read(APP_ROUTES.below)).toBe('below');
      expect(await read(APP_ROUTES.echo, { method: 'POST', headers: JSON_TYPE, body: '{"a":[1]}' })).toBe('{"a":[1]}');
    });

    test('a path that no route matches gets 404', async () => {
      const { url } = await open(mount);
      const response = await fetch(`${url}/nothing/here`);
      expect(response.status).toBe(404);
    });

    test('an event is sent before the stream ends', async () => {
      const { url, gate } = await open(mount);
      const response = await fetch(`${url}/message:stream`, waitRequest());
      const events = new EventTexts(response);
      expect(await events.until('Waiting…')).not.toContain('TASK_STATE_COMPLETED');
      gate.resolve();
      await events.until('TASK_STATE_COMPLETED');
      await events.end();
    });

    test.each(['/message:stream', '/message:send'])(
      'a task with onDisconnect: cancel is aborted when its caller disconnects from %s',
      async (path) => {
        const { url, begun, stopped } = await open(mount, { onDisconnect: 'cancel' });
        const leaving = new AbortController();
        const { signal } = leaving;
        const responseText = fetch(url + path, { ...waitRequest(), signal }).then((response) => response.text());
        await begun.promise;
        leaving.abort();
        await expect(responseText).rejects.toThrow('aborted');
        await stopped.promise;
      },
    );
  });
}

/** Reads the text of a stream. */
class EventTexts {
  readonly #chunks: AsyncIterator<string, unknown>;
  #received = '';

  constructor({ body }: Response) {
    if (body === null) throw new Error('Expected a stream');
    this.#chunks = body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  }

  async until(text: string): Promise<string> {
    while (!this.#received.includes(text)) {
      const next = await this.#chunks.next();
      if (next.done === true) throw new Error(`Expected ${text} in ${this.#received}`);
      this.#received += next.value;
    }
    return this.#received;
  }

  async end(): Promise<void> {
    while ((await this.#chunks.next()).done !== true);
  }
}
