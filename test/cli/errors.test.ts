import { expect, test } from 'vitest';
import { A2AError } from '../../src/errors.ts';
import { serveAgent, servePeer } from './agents.ts';
import { tandem, TIMEOUT_MS } from './program.ts';

test('an error of the agent ends with its section of the error reference', { timeout: TIMEOUT_MS }, async () => {
  const peer = await servePeer();
  const { code, stderr } = await tandem(['task', 'get', peer.url, 'gone']).ended;
  expect(code).toBe(1);
  expect(stderr.split('\n').slice(-2)).toEqual(['See docs/errors.md#task_not_found', '']);
});

test('a usage error names no section of the error reference', { timeout: TIMEOUT_MS }, async () => {
  const { stderr } = await tandem(['task', 'list', 'http://127.0.0.1:1', '--limit', 'x']).ended;
  expect(stderr).toBe('tandem: --limit must be a whole number, not "x"\n');
});

test.each([
  ['send', '0.4s', []],
  ['send', '400ms', ['--poll-interval', '20ms']],
  // Long enough to reach the agent on a busy machine.
  ['wait', '3.0s', []],
  ['wait', '3000ms', ['--poll-interval', '20ms']],
])(
  '%s --timeout %s %s names the limit as the user wrote it',
  async (command, timeout, flags) => {
    const peer = await servePeer({ script: [[{ status: 'working' }]] });
    const sent = await tandem(['send', peer.url, 'hi', '--detach']).ended;
    const words = command === 'send' ? [peer.url, 'hi'] : [sent.stdout.trim()];
    const { code, stderr } = await tandem([command, ...words, '--timeout', timeout, ...flags]).ended;
    expect(code).toBe(5);
    expect(stderr).toMatch(new RegExp(`^tandem: No result within ${timeout.replace('.', '\\.')}$`, 'm'));
    // A message may not have been answered yet when its time is up: then there is no task to wait for.
    if (command === 'wait')
      expect(stderr).toContain('The task may still be running. To wait for it: tandem wait task1_');
    expect(stderr).toContain('\nSee docs/errors.md#timeout\n');
  },
  TIMEOUT_MS,
);

test('an error prints the field of each violation', { timeout: TIMEOUT_MS }, async () => {
  const violations = [
    { field: 'message.parts[0].data.zip', description: 'must be a string' },
    { field: 'message.parts[0].data.floors', description: 'must be at least 1' },
  ];
  // The message has a description, but not its field.
  const rejected = new A2AError('INVALID_PARAMS', 'The zip must be a string', { violations });
  const peer = await servePeer({ script: [rejected] });
  const { stderr } = await tandem(['send', peer.url, 'hi']).ended;
  expect(stderr).toContain(
    '\nmessage.parts[0].data.zip: must be a string; message.parts[0].data.floors: must be at least 1\n',
  );
});

test(
  'an answer that does not match the question is rejected with the wrong field',
  { timeout: TIMEOUT_MS },
  async () => {
    const url = await serveAgent(async ({ ask }) => {
      const schema = { type: 'object', properties: { floors: { type: 'integer' } }, required: ['floors'] } as const;
      return JSON.stringify(await ask('Which house?', { schema }));
    });
    const asked = await tandem(['send', url, 'hi', '-o', 'json']).ended;
    const { task } = JSON.parse(asked.stdout) as { task: { id: string } };
    const { stderr } = await tandem(['send', url, '--task-id', task.id, '--data', '{"floors":"two"}']).ended;
    expect(stderr).toContain('floors');
  },
);

test.each([
  ['wait', '--exit-status', 6],
  ['task subscribe', '--exit-status', 6],
  ['wait', '', 0],
  ['task subscribe', '', 0],
])(
  '%s %s exits with %i for a task that fails',
  async (command, flag, exitCode) => {
    let fail = (): void => {};
    const until = new Promise<void>((resolve) => (fail = resolve));
    const url = await serveAgent(async function* () {
      yield 'begun\n';
      await until;
      yield { status: 'failed', text: 'No luck' };
    });
    const { stdout } = await tandem(['send', url, 'hi', '--detach']).ended;
    const waiting = tandem([...command.split(' '), stdout.trim(), ...(flag === '' ? [] : [flag])]);
    await waiting.said(/^begun$/m);
    fail();
    expect(await waiting.ended).toMatchObject({ code: exitCode, stderr: expect.stringContaining('State: failed\n') });
  },
  TIMEOUT_MS,
);
