import { silentLog } from '../../src/observe/log.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AgentHandler, createHandler, memoryStore } from '../../src/server/index.ts';
import { createTestAgent, type TestAgent } from '../peers/test-agent.ts';
import { all, fold, taskOf, textsOf } from '../peers/peer.ts';
import { connect } from '../peers/sdk-1.ts';

const JSON_TYPE = { 'content-type': 'application/json' } as const;

/** A way to have an agent in a framework, beside the routes of `OTHERS`. */
export interface Mount {
  readonly name: string;
  /** Where the agent is, without a slash at the end. */
  readonly prefix: string;
  /** For mounts that leave the prefix in the paths of requests. */
  readonly basePath?: string;
  /** Listens on a free port of 127.0.0.1 until the test is over. */
  open(handler: AgentHandler): Promise<string>;
}

/** What a framework has besides: a page at the root, one below the agent, and a route that takes JSON. */
export const OTHERS = { home: '/', below: '/agent/extra', echo: '/echo' } as const;

interface Opened extends TestAgent {
  readonly origin: string;
  /** The address of the agent. */
  readonly url: string;
}

async function open({ prefix, basePath = '/', open }: Mount, limits?: Parameters<typeof createTestAgent>[0]): Promise<Opened> {
  const made = createTestAgent(limits);
  const handler = createHandler(made.agent, { store: memoryStore(), log: silentLog, basePath });
  onTestFinished(() => handler.close({ finishMs: 0 }));
  const origin = await open(handler);
  return { ...made, origin, url: origin + prefix };
}

/** A message that takes as long as `gate` says. */
export function waitRequest(): { readonly method: 'POST'; readonly headers: typeof JSON_TYPE; readonly body: string } {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'wait' }] };
  return { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ message }) };
}

/** What must hold wherever and however an agent is mounted. */
export function mountBehaviours(framework: string, mounts: readonly Mount[]): void {
  describe.each(mounts)(`${framework}, $name`, (mount) => {
    test('the card names addresses that work', async () => {
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

    test('JSON-RPC is answered at the mount itself, with a slash at its end and without', async () => {
      const { url } = await open(mount);
      for (const address of new Set([url === new URL(url).origin ? `${url}/` : url, `${url}/`])) {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ListTasks', params: {} });
        const response = await fetch(address, { method: 'POST', headers: JSON_TYPE, body });
        expect(await response.json()).toMatchObject({ id: 7, result: { totalSize: 0 } });
      }
    });

    test('a request of REST may have no body', async () => {
      const { url, gate } = await open(mount);
      const peer = await connect(`${url}/`, 'HTTP+JSON');
      const { id } = taskOf(await peer.send({ text: 'wait', returnImmediately: true }));
      for (const headers of [JSON_TYPE, {}]) {
        const response = await fetch(`${url}/tasks/${id}:cancel`, { method: 'POST', headers });
        expect(await response.json()).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
      }
      gate.resolve();
    });

    test('what stands beside the agent is answered as ever', async () => {
      const { origin } = await open(mount);
      const read = async (path: string, init?: RequestInit): Promise<unknown> =>
        (await fetch(origin + path, init)).text();
      expect(await read(OTHERS.home)).toBe('home');
      expect(await read(OTHERS.below)).toBe('below');
      expect(await read(OTHERS.echo, { method: 'POST', headers: JSON_TYPE, body: '{"a":[1]}' })).toBe('{"a":[1]}');
    });

    test('what nobody has is not found', async () => {
      const { url } = await open(mount);
      const response = await fetch(`${url}/nothing/here`);
      expect(response.status).toBe(404);
    });

    test('events come when they happen', async () => {
      const { url, gate } = await open(mount);
      const response = await fetch(`${url}/message:stream`, waitRequest());
      const events = new EventTexts(response);
      expect(await events.until('Waiting…')).not.toContain('TASK_STATE_COMPLETED');
      gate.resolve();
      await events.until('TASK_STATE_COMPLETED');
      await events.end();
    });

    test.each(['/message:stream', '/message:send'])('whoever leaves %s is missed', async (path) => {
      const { url, begun, stopped } = await open(mount, { onDisconnect: 'cancel' });
      const leaving = new AbortController();
      const { signal } = leaving;
      const answer = fetch(url + path, { ...waitRequest(), signal }).then((response) => response.text());
      await begun.promise;
      leaving.abort();
      await expect(answer).rejects.toThrow('aborted');
      await stopped.promise;
    });
  });
}

/** The text of a stream, as far as it has come. */
class EventTexts {
  readonly #chunks: AsyncIterator<string, unknown>;
  #heard = '';

  constructor({ body }: Response) {
    if (body === null) throw new Error('Expected a stream');
    this.#chunks = body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  }

  async until(text: string): Promise<string> {
    while (!this.#heard.includes(text)) {
      const next = await this.#chunks.next();
      if (next.done === true) throw new Error(`Expected ${text} in ${this.#heard}`);
      this.#heard += next.value;
    }
    return this.#heard;
  }

  async end(): Promise<void> {
    while ((await this.#chunks.next()).done !== true);
  }
}
