/**
 * Exchanges of selectools 1.3, recorded with `record()`: its server with our client, and its client with our server. The live
 * tests of `npm run test:peers` have the same exchanges.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { agent as createAgent } from '../../src/agent/agent.ts';
import { replay } from '../../src/testing/replay.ts';
import { serveOnSocket } from '../e2e/kit/server.ts';
import { connected } from './our-client-behaviours.ts';
import { summarize } from './summarize.ts';

function recording(name: string): string {
  return fileURLToPath(new URL(`../fixtures/recordings/${name}.json`, import.meta.url));
}

test('our client sends, gets, cancels and reports errors with a replay of the server of selectools', async () => {
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

test('our server responds to the recorded requests of the client of selectools as recorded', async () => {
  const { exchanges } = JSON.parse(readFileSync(recording('selectools-client'), 'utf8')) as { exchanges: Exchange[] };
  const { ask } = await serveOnSocket(researcher);
  /** Recorded task id → current task id. */
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
    expect(withoutReference(summarize(answer.json))).toBe(withoutReference(summarize(response.body)));
    ids.set(idOf(response.body), idOf(answer.json));
  }
  expect(ids.size).toBe(2);
});

function idOf(json: unknown): string {
  return (json as { readonly result: { readonly id: string } }).result.id;
}

/** Removes the reference for the log from the text of a failed task, because it differs in each run. */
function withoutReference(text: string): string {
  return text.replace(/Reference: [^"]+/, 'Reference');
}
