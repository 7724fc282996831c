import { expect, test } from 'vitest';
import { A2AError } from '../../src/errors.ts';
import { serveAgent, servePeer } from './agents.ts';
import { tandem, TIMEOUT_MS } from './program.ts';

test(
  'each line of a chat is a message or the answer to a question, in one conversation',
  { timeout: TIMEOUT_MS },
  async () => {
    const contexts: (string | undefined)[] = [];
    const url = await serveAgent(async function* ({ text, message, ask }) {
      contexts.push(message.contextId);
      if (text !== 'book') return yield `You said ${text}`;
      const city = await ask('Where to?');
      yield (await ask({ confirm: `To ${city}?` })) ? `Booked ${city}` : 'Nothing booked';
    });
    const input = 'hello\nbook\nRome\nyes\n\n/task\nbye\n';
    const { code, stdout, stderr } = await tandem(['chat', url], { input }).ended;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'You said hello\nWhere to?\nTo Rome? (yes/no)\nBooked Rome\nYou said bye\n',
    });
    expect(stderr).toMatch(/^Task: .*\nContext: .*\nState: completed\nContext: [\w-]+\n$/);
    expect(contexts).toHaveLength(3);
    expect(new Set(contexts.slice(1)).size).toBe(1);
  },
);

test(
  '/new starts another conversation, /cancel cancels the waiting task, /quit ends the chat',
  { timeout: TIMEOUT_MS },
  async () => {
    const peer = await servePeer({ script: [[{ status: 'input-required', text: 'Where to?' }], 'two', 'three'] });
    const input = 'one\n/cancel\ntwo\n/new\nthree\n/what\n/help\n/quit\nfour\n';
    const { code, stdout, stderr } = await tandem(['chat', peer.url], { input }).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Where to?\ntwo\nthree\n' });
    expect(stderr).toContain('Canceled.\n');
    expect(stderr).toContain('Unknown command /what.');
    expect(stderr).toContain('/quit ');
    const sent = peer.requests.filter(({ text }) => text !== undefined && text !== '');
    expect(sent.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    const contexts = sent.map(
      ({ input: sentInput }) => (sentInput as { message: { contextId?: string } }).message.contextId,
    );
    expect(contexts).toEqual([undefined, expect.any(String), undefined]);
    expect(peer.tasks.map(({ status }) => status.state)).toEqual([
      'TASK_STATE_CANCELED',
      'TASK_STATE_COMPLETED',
      'TASK_STATE_COMPLETED',
    ]);
  },
);

test('an error ends a chat whose input is a pipe', { timeout: TIMEOUT_MS }, async () => {
  const peer = await servePeer({ script: ['one', new A2AError('INVALID_PARAMS', 'Not like that'), 'three'] });
  const { code, stdout, stderr } = await tandem(['chat', peer.url], { input: 'a\nb\nc\n' }).ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'one\n' });
  expect(stderr).toMatch(/^tandem: Not like that \(INVALID_PARAMS\)\n/m);
});

test('chat -o json --stream prints one line of JSON for each event', { timeout: TIMEOUT_MS }, async () => {
  const peer = await servePeer({ script: [{ message: 'one' }, 'two'] });
  const { stdout } = await tandem(['chat', peer.url, '-o', 'json', '--stream'], { input: 'a\nb\n' }).ended;
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines[0]).toMatchObject({ message: { parts: [{ text: 'one' }] } });
  expect(lines.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
});

test('a line of JSON from a pipe answers a form', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async ({ ask }) => {
    const answer = await ask({ form: 'Which trip?', fields: { city: { type: 'string' } } });
    return `Answer: ${JSON.stringify(answer)}`;
  });
  const { code, stdout } = await tandem(['chat', url], { input: 'book\n{"city":"Rome"}\n' }).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Which trip?\n- city\nAnswer: {"city":"Rome"}\n' });
});
