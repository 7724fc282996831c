import { expect, test } from 'vitest';
import { serveAgent } from './agents.ts';
import { tandem, TIMEOUT_MS } from './program.ts';
import { CTRL_C, CTRL_D, ENTER, Terminal } from './terminal.ts';

test('send prompts for text, a choice and a confirmation until the task ends', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async function* ({ ask }) {
    const city = await ask('Where to?');
    const seat = await ask({ choose: 'Which seat?', options: [{ id: 'w', label: 'Window' }, 'aisle'] });
    yield (await ask({ confirm: 'Book it?' })) ? `Booked ${city}, ${seat}` : 'Nothing booked';
  });
  const terminal = new Terminal(['send', url, 'book']);
  expect(await terminal.type('answer> ', `Rome${ENTER}`)).toContain('Where to?');
  expect(await terminal.type('answer> ', `roof${ENTER}`)).toContain('Which seat?');
  const problem = 'expected a number from 1 to 2, or one of Window, aisle';
  expect(await terminal.type('answer> ', `1${ENTER}`)).toContain(problem);
  expect(await terminal.type('answer> ', `perhaps${ENTER}`)).toContain('Book it? (yes/no)');
  expect(await terminal.type('answer> ', `yes${ENTER}`)).toContain('expected yes or no; got "perhaps"');
  expect(await terminal.ended).toBe(0);
  expect(terminal.text).toContain('Booked Rome, w\n');
  expect(terminal.text).toContain('State: completed\n');
  expect(terminal.text).not.toContain('To answer:');
});

test('send asks a form field by field and sends the answer as data', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async ({ ask }) => {
    const fields = { city: { type: 'string' }, nights: { type: 'integer', minimum: 1 } } as const;
    const answer = await ask({ form: 'Which room?', fields }, { as: 'message' });
    return JSON.stringify(answer.parts);
  });
  const terminal = new Terminal(['send', url, 'book', '--poll-interval', '20ms']);
  await terminal.type('city> ', `Rome${ENTER}`);
  await terminal.type('nights> ', `2${ENTER}`);
  expect(await terminal.ended).toBe(0);
  expect(terminal.text).toContain('{"data":{"city":"Rome","nights":2}');
});

test.each([
  ['an empty line', ENTER, 0],
  ['Ctrl-D', CTRL_D, 0],
  ['Ctrl-C', CTRL_C, 130],
])(
  '%s at the prompt of send leaves the task waiting and prints the command that answers it',
  async (_, keys, code) => {
    const url = await serveAgent(async ({ ask }) => `To ${await ask('Where to?')}`);
    const terminal = new Terminal(['send', url, 'book']);
    await terminal.type('answer> ', keys);
    expect(await terminal.ended).toBe(code);
    expect(terminal.text).toContain('State: input-required\n');
    const [, id = ''] = /To answer:\n.* send .* --task-id (\S+)\n/.exec(terminal.text) ?? [];
    expect((await tandem(['send', url, 'Rome', '--task-id', id]).ended).stdout).toBe('To Rome\n');
  },
  TIMEOUT_MS,
);

test('an answer that only the agent can check is asked for again', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async ({ ask }) => {
    const schema = { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' } } as const;
    return `Tagged ${JSON.stringify(await ask('Which tags?', { schema }))}`;
  });
  const terminal = new Terminal(['send', url, 'tag']);
  await terminal.type('answer> ', `["A1"]${ENTER}`);
  expect(await terminal.type('answer> ', `["a"]${ENTER}`)).toContain('The answer does not match the question');
  await terminal.ended;
  expect(terminal.text).toContain('Tagged ["a"]\n');
});

test('send does not echo the answer to a sensitive question', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async ({ ask }) => {
    const pin = await ask('Your PIN?', { sensitive: true });
    const name = await ask('Your name?');
    return pin === 'hunter2' ? `Hello ${name}` : 'Wrong PIN';
  });
  const terminal = new Terminal(['send', url, 'login']);
  await terminal.type('answer> ', `hunter2${ENTER}`);
  await terminal.type('answer> ', `Ada${ENTER}`);
  expect(await terminal.ended).toBe(0);
  expect(terminal.text).toContain('Hello Ada\n');
  expect(terminal.text).not.toContain('hunter2');
});

test('send does not prompt for a credential', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(({ authorize }) => authorize('Sign in'));
  const terminal = new Terminal(['send', url, 'go']);
  expect(await terminal.ended).toBe(0);
  expect(terminal.text).toContain('State: auth-required\n');
  expect(terminal.text).not.toContain('answer> ');
});

test('send -o json does not prompt on a terminal', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async ({ ask }) => `To ${await ask('Where to?')}`);
  const terminal = new Terminal(['send', url, 'book', '-o', 'json']);
  expect(await terminal.ended).toBe(0);
  expect(terminal.text).toContain('TASK_STATE_INPUT_REQUIRED');
  expect(terminal.text).not.toContain('answer> ');
});

test('--exit-status applies to the task after its answer', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async ({ ask, reject }) => {
    await ask('Where to?');
    return reject('No trains');
  });
  const terminal = new Terminal(['send', url, 'book', '--exit-status']);
  await terminal.type('answer> ', `Rome${ENTER}`);
  expect(await terminal.ended).toBe(6);
});

const TRIP: Parameters<typeof serveAgent>[0] = async ({ ask }) => {
  const [from, how] = await Promise.all([ask('From?'), ask({ choose: 'How?', options: ['train', 'bus'] })]);
  return `From ${from} by ${how}`;
};

test('send lists several open questions and prompts for which one to answer', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(TRIP);
  const terminal = new Terminal(['send', url, 'book']);
  const list = await terminal.type('question (1-2)> ', `3${ENTER}`);
  expect(list).toContain('1. From?');
  expect(list).toContain('2. How?');
  expect(await terminal.type('question (1-2)> ', `2${ENTER}`)).toContain('expected a number from 1 to 2');
  expect(await terminal.type('answer> ', `bus${ENTER}`)).toContain('1. train');
  await terminal.type('answer> ', `Rome${ENTER}`);
  expect(await terminal.ended).toBe(0);
  expect(terminal.text).toContain('From Rome by bus\n');
});

test('send without a terminal prints a command for each open question', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(TRIP);
  const { stderr } = await tandem(['send', url, 'book']).ended;
  const commands = [...stderr.matchAll(/To answer "(.*)":\n.* send .* --task-id (\S+) --question (\S+)\n/g)];
  expect(commands.map(([, text]) => text)).toEqual(['From?', 'How?']);
  const [[, , id = '', from = ''] = [], [, , , how = ''] = []] = commands;
  const first = await tandem(['send', url, 'bus', '--task-id', id, '--question', how]).ended;
  expect(first.stderr).toContain('State: input-required\n');
  const { stdout } = await tandem(['send', url, 'Rome', '--task-id', id, '--question', from]).ended;
  expect(stdout).toBe('From Rome by bus\n');
});
