/**
 * Exchanges of selectools 1.3, recorded with `record()`: its server as our client saw it, and its client as our server did. The
 * live peers of `npm run test:peers` have the same scenes.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { agent as createAgent } from '../../src/agent/agent.ts';
import { replay } from '../../src/testing/replay.ts';
import { serveOnSocket } from '../e2e/kit/server.ts';
import { connected } from './client-behaviours.ts';
import { gist } from './gist.ts';

function recording(name: string): string {
  return fileURLToPath(new URL(`../fixtures/recordings/${name}.json`, import.meta.url));
}

test('our client sends, reads, cancels and reports errors as it did with the server of selectools', async () => {
  const server = await replay(recording('selectools-server'));
  onTestFinished(() => server.close());
  const agent = await connected(server.url, { cache: false });
  expect(agent.card.skills.map(({ id }) => id)).toEqual(['summarize']);
  const reply = await agent.send('hello');
  expect(reply).toMatchObject({ state: 'completed', text: expect.stringMatching(/ hello$/) as string });
  expect(await agent.get(reply.task?.id ?? '')).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  const failed = await agent.send('fail');
  expect(failed).toMatchObject({ state: 'failed', text: 'Agent execution failed (RuntimeError)' });
  await expect(agent.cancel(failed.task?.id ?? '')).rejects.toMatchObject({ code: 'TASK_NOT_CANCELABLE' });
  await expect(agent.get('unknown')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  expect(server.misses).toEqual([]);
});

interface Exchange {
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status: number; readonly body: unknown };
}

const researcher = createAgent({
  name: 'researcher',
  description: 'Research agent that summarizes topics',
  skills: [{ id: 'summarize', name: 'summarize', description: 'Summarize a text', tags: ['tool'] }],
  async *run({ text }) {
    if (text === 'fail') throw new Error('broken');
    yield 'You asked: ';
    yield text;
  },
});

test('our server answers the requests of the client of selectools as it did then', async () => {
  const { exchanges } = JSON.parse(readFileSync(recording('selectools-client'), 'utf8')) as { exchanges: Exchange[] };
  const { ask } = await serveOnSocket(researcher);
  /** Ids of tasks as they were recorded → as they are now. */
  const ids = new Map<string, string>();
  for (const { request, response } of exchanges) {
    const text = JSON.stringify(request.body ?? null).replaceAll(/\{\{task-\d+\}\}/g, (id) => ids.get(id) ?? id);
    const body = JSON.parse(text) as unknown;
    const answer = await ask({ ...request, ...(body === null ? {} : { body }) });
    expect(answer.status).toBe(response.status);
    if (body === null) {
      expect(answer.json).toMatchObject({ name: 'researcher', skills: [{ id: 'summarize' }] });
      continue;
    }
    expect(withoutReference(gist(answer.json))).toBe(withoutReference(gist(response.body)));
    ids.set(idOf(response.body), idOf(answer.json));
  }
  expect(ids.size).toBe(2);
});

function idOf(json: unknown): string {
  return (json as { readonly result: { readonly id: string } }).result.id;
}

/** A failed task names a reference for the log, which differs. */
function withoutReference(text: string): string {
  return text.replace(/Reference: [^"]+/, 'Reference');
}
