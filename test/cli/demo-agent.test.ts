import { silentLog } from '../../src/observe/log.ts';
import { expect, onTestFinished, test } from 'vitest';
import { demoAgent } from '../../src/cli/serving/demo-agent.ts';
import { createHandler, memoryStore } from '../../src/server/index.ts';

interface Answer {
  readonly message?: { readonly parts: readonly { readonly text: string }[] };
  readonly task?: {
    readonly status: { readonly state: string };
    readonly artifacts?: readonly { readonly name: string; readonly parts: readonly { readonly text: string }[] }[];
  };
}

async function say(text: string, returnImmediately = false): Promise<Answer> {
  const handler = createHandler(demoAgent, { store: memoryStore(), log: silentLog });
  onTestFinished(() => handler.close({ finishMs: 0 }));
  const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text }] };
  const body = JSON.stringify({ message, configuration: { returnImmediately } });
  const headers = { 'content-type': 'application/json' };
  const request = new Request('http://localhost/message:send', { method: 'POST', headers, body });
  return (await (await handler.fetch(request)).json()) as Answer;
}

const EXAMPLES = demoAgent.card.skills.flatMap(({ id, examples = [] }) => examples.map((text) => ({ id, text })));

test('every skill of the demo agent has an example', () => {
  expect(new Set(EXAMPLES.map(({ id }) => id))).toEqual(new Set(['hello', 'report', 'book', 'job', 'help']));
});

test.each(EXAMPLES)('the demo handles $text with the skill $id', async ({ id, text }) => {
  const { task, message } = await say(text, id === 'job');
  switch (id) {
    case 'hello':
      expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
      expect(task?.artifacts).toMatchObject([{ parts: [{ text: expect.stringMatching(/^Hello, .* word by word/) }] }]);
      break;
    case 'report':
      expect(task?.artifacts).toMatchObject([
        { name: 'trains.csv', parts: [{ filename: 'trains.csv', mediaType: 'text/csv' }] },
      ]);
      break;
    case 'book':
      expect(task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      break;
    case 'job':
      expect(task?.status.state).toMatch(/SUBMITTED|WORKING/);
      break;
    default:
      expect(message).toBeDefined();
  }
});

test.each(['', 'What can you do?', 'HELP!', '€', 'jobs'])('the demo replies to %j with its commands', async (text) => {
  const { message } = await say(text);
  for (const word of ['hello', 'report', 'book Rome', 'job', 'help']) {
    expect(message?.parts[0]?.text).toContain(`  ${word}: `);
  }
});

test.each(['  Hello  there ', '"HELLO"'])('the demo handles %j as hello', async (text) => {
  expect((await say(text)).task?.artifacts?.[0]?.parts[0]?.text).toMatch(/^Hello, /);
});
