import { expect, test } from 'vitest';
import { messagesIn, messagesPage, unstableLogs } from '../../scripts/text/messages.ts';

/** Log calls whose text may differ between calls: place → reason. */
const UNSTABLE: Readonly<Record<string, string>> = {
  'src/cli/serving/serving-log.ts text': 'passes on the lines of the CLI, which are stable where they are written',
};

test('messages.md lists every text that users see at run time', async () => {
  await expect(messagesPage(), 'review the difference, then update it: npm run text').toMatchFileSnapshot(
    'messages.md',
  );
});

test('the text of every log event is constant, except the listed ones', () => {
  const unstable = unstableLogs().map(({ path, line, text }) => ({
    key: `${path} ${text}`,
    where: `${path}:${line} ${text}`,
  }));
  expect(unstable.filter(({ key }) => !(key in UNSTABLE)).map(({ where }) => where)).toEqual([]);
  expect(Object.keys(UNSTABLE), 'exceptions that are no longer needed').toEqual(unstable.map(({ key }) => key));
});

test.each([
  ["throw new A2AError('INVALID_PARAMS', `${field} is too long`);", 'A2AError INVALID_PARAMS', '{field} is too long'],
  ["throw new TypeError(isOld ? 'Too old' : 'Too young');", 'TypeError', 'Too old'],
  ["this.#log.warn('Task timed out', { taskId });", 'log warn', 'Task timed out'],
  ["core.log.error('Lost');", 'log error', 'Lost'],
  ["check.that(n > 0, 'a number ' + 'above 0');", 'text', 'a number above 0'],
  [
    "give(`${count} ${count === 1 ? 'task' : 'tasks'} of ${options.owner.name}`);",
    'text',
    '{count} {task|tasks} of {name}',
  ],
])('the text list finds the text of %s', (code, use, text) => {
  expect(messagesIn('src/a.ts', code)).toContainEqual({ path: 'src/a.ts', line: 1, use, text });
});

test.each([
  "import { a } from 'a file';",
  "if (a === 'two words') b();",
  "type A = 'two words';",
  "query('SELECT a FROM b');",
])('the text list finds no text in %s', (code) => {
  expect(messagesIn('src/a.ts', code)).toEqual([]);
});
