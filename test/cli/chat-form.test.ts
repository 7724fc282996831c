import { expect, test } from 'vitest';
import { z } from 'zod';
import type { TaskContext } from '../../src/server/index.ts';
import { serveAgent } from './agents.ts';
import { TIMEOUT_MS } from './program.ts';
import { CTRL_D, ENTER, Terminal } from './terminal.ts';

const TRIP = {
  form: 'Which trip?',
  fields: {
    city: { type: 'string', title: 'Destination', description: 'A city with a station', minLength: 2 },
    nights: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
    class: { enum: ['first', 'second'] },
    zip: { type: 'string', pattern: '^\\d{5}$' },
    wifi: { type: 'boolean' },
    note: { type: 'string' },
  },
  required: ['city', 'nights', 'class', 'zip'],
} as const;

async function askTrip({ ask }: TaskContext): Promise<string> {
  const { parts } = await ask(TRIP, { as: 'message' });
  return JSON.stringify(parts);
}

test(
  'chat asks a form field by field, with type, options, default and whether it is required',
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    const terminal = new Terminal(['chat', await serveAgent(askTrip)]);
    await terminal.type('> ', `book${ENTER}`);
    const city = await terminal.type('city> ', `Rome${ENTER}`);
    expect(city).toContain('Destination (text, at least 2 characters, required)\n  A city with a station\n');
    expect(await terminal.type('nights> ', ENTER)).toContain('nights (whole number, 1 to 9, default 2, required)\n');
    const choice = await terminal.type('class> ', `2${ENTER}`);
    expect(choice).toContain('class (choose one, required)\n  1. first\n  2. second\n');
    expect(await terminal.type('zip> ', `00118${ENTER}`)).toContain('zip (text, matches ^\\d{5}$, required)\n');
    expect(await terminal.type('wifi> ', `yes${ENTER}`)).toContain('wifi (yes or no, optional)\n');
    await terminal.type('note> ', ENTER);
    await terminal.shown('{"data":{"city":"Rome","nights":2,"class":"second","zip":"00118","wifi":true}');
    await terminal.type('> ', CTRL_D);
    expect(await terminal.ended).toBe(0);
  },
);

test('chat asks for a wrong value again and names the problem', { timeout: TIMEOUT_MS }, async () => {
  const terminal = new Terminal(['chat', await serveAgent(askTrip)]);
  await terminal.type('> ', `book${ENTER}`);
  await terminal.type('city> ', ENTER);
  expect(await terminal.type('city> ', `R${ENTER}`)).toContain('city: a value is required\n');
  expect(await terminal.type('city> ', `Rome${ENTER}`)).toContain('city: expected 2 or more characters; got "R"\n');
  await terminal.type('nights> ', `two${ENTER}`);
  expect(await terminal.type('nights> ', `10${ENTER}`)).toContain('nights: expected an integer; got "two"\n');
  expect(await terminal.type('nights> ', `3${ENTER}`)).toContain('nights: expected 9 or less; got 10\n');
  await terminal.type('class> ', `3${ENTER}`);
  expect(await terminal.type('class> ', `First${ENTER}`)).toContain(
    'class: expected one of "first", "second"; got "3"\n',
  );
  await terminal.type('zip> ', `abc${ENTER}`);
  expect(await terminal.type('zip> ', `00118${ENTER}`)).toContain('zip: expected a text that matches ^\\d{5}$\n');
  await terminal.type('wifi> ', `maybe${ENTER}`);
  expect(await terminal.type('wifi> ', ENTER)).toContain('wifi: expected yes or no; got "maybe"\n');
  await terminal.type('note> ', `late${ENTER}`);
  await terminal.shown('{"data":{"city":"Rome","nights":3,"class":"first","zip":"00118","note":"late"}');
});

test('/cancel in a form cancels the task and the chat continues', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent((context) => (context.text === 'book' ? askTrip(context) : `Heard ${context.text}`));
  const terminal = new Terminal(['chat', url]);
  await terminal.type('> ', `book${ENTER}`);
  await terminal.type('city> ', `Rome${ENTER}`);
  await terminal.type('nights> ', `/cancel${ENTER}`);
  expect(await terminal.type('\n> ', `bye${ENTER}`)).toContain('Canceled.');
  await terminal.shown('Heard bye');
});

test(
  'chat does not check an answer against a pattern that takes too long, and sends it to the agent',
  { timeout: TIMEOUT_MS },
  async () => {
    const url = await serveAgent(async function* ({ message, taskId }) {
      const isFirst = message.parts.some((part) => 'text' in part);
      const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } }, required: ['a'] };
      if (!isFirst) return;
      yield { status: 'input-required', parts: [{ text: `Which ${taskId}?` }, { data: { question: { schema } } }] };
    });
    const terminal = new Terminal(['chat', url]);
    await terminal.type('> ', `go${ENTER}`);
    await terminal.type('a> ', `${'a'.repeat(40)}!${ENTER}`);
    await terminal.type('> ', CTRL_D);
    expect(await terminal.ended).toBe(0);
  },
);

test('chat does not echo the answer to a sensitive question or a credential', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async ({ ask, authorize }) => {
    const pin = await ask('Your PIN?', { sensitive: true });
    const token = await authorize('Your token?');
    return pin === 'hunter2' && token === 'tok-1' ? 'Welcome' : 'Wrong';
  });
  const terminal = new Terminal(['chat', url]);
  await terminal.type('> ', `login${ENTER}`);
  await terminal.type('answer> ', `hunter2${ENTER}`);
  await terminal.type('answer> ', `tok-1${ENTER}`);
  await terminal.shown('Welcome');
  expect(terminal.text).not.toMatch(/hunter2|tok-1/);
});

test(
  'a format is described in words, in place of the pattern of a schema library',
  { timeout: TIMEOUT_MS },
  async () => {
    const asksDay = async ({ ask }: TaskContext): Promise<string> => {
      const { day } = await ask('When?', { schema: z.object({ day: z.iso.date() }) });
      return `Booked for ${day}`;
    };
    const terminal = new Terminal(['chat', await serveAgent(asksDay)]);
    await terminal.type('> ', `book${ENTER}`);
    expect(await terminal.type('day> ', `tomorrow${ENTER}`)).toContain(
      'day (text, a date such as 2026-05-01, required)\n',
    );
    expect(await terminal.type('day> ', `2026-05-02${ENTER}`)).toContain('day: expected a date such as 2026-05-01\n');
    await terminal.shown('Booked for 2026-05-02');
    await terminal.type('> ', CTRL_D);
    expect(await terminal.ended).toBe(0);
  },
);
