import { describe, expect, test } from 'vitest';
import type { AskOptions, Question } from '../../src/engine/handler.ts';
import type { JsonValue } from '../../src/model/json.ts';
import type { Part } from '../../src/model/part.ts';
import type { Task } from '../../src/model/task.ts';
import { ANN, type Harness, harness, statusText, userMessage, type Variant, VARIANTS } from './harness.ts';

const SIZES = { choose: 'Which size?', options: ['S', { id: 'm', label: 'Medium' }, { id: 'xl', label: 'Large' }] };
const COLOURS = { choose: 'Which number?', options: ['3', '1', '2'] };
const ADDRESS = {
  form: 'Where to?',
  fields: { street: { type: 'string', title: 'Street' }, number: { type: 'integer', minimum: 1 } },
} as const;

/** An agent that asks once and returns the answer as data. */
function asking(question: Question, options: AskOptions, variant: Variant): Promise<Harness> {
  return harness(
    async ({ ask }) => {
      const answer = await (ask as (...args: readonly unknown[]) => Promise<JsonValue>)(question, options);
      return { data: answer };
    },
    { variant },
  );
}

const answered = (task: Task): unknown => task.artifacts?.[0]?.parts[0];
const toTask = (task: Task, ...parts: readonly Part[]) => ({ message: userMessage('', { taskId: task.id, parts }) });

describe.each(VARIANTS)('$name', (variant) => {
  test.each<[string, Question, AskOptions, Part, JsonValue]>([
    ['a text', 'Which city?', {}, { text: 'Rome' }, 'Rome'],
    ['a text, by data', 'Which city?', {}, { data: { city: 'Rome' } }, '{"city":"Rome"}'],
    ['a confirmation', { confirm: 'Sure?' }, {}, { text: ' YES ' }, true],
    ['a denial', { confirm: 'Sure?' }, {}, { text: 'no' }, false],
    ['a confirmation, by data', { confirm: 'Sure?' }, {}, { data: false }, false],
    ['a choice, by id', SIZES, {}, { text: 'm' }, 'm'],
    ['a choice, by id in another case', SIZES, {}, { text: 'XL' }, 'xl'],
    ['a choice, by label', SIZES, {}, { text: 'medium' }, 'm'],
    ['a choice, by number', SIZES, {}, { text: ' 3 ' }, 'xl'],
    ['a choice, by data', SIZES, {}, { data: 'Large' }, 'xl'],
    ['a choice that is a number itself', COLOURS, {}, { text: '1' }, '1'],
    ['a form', ADDRESS, {}, { data: { street: 'High St', number: 3 } }, { street: 'High St', number: 3 }],
    ['a form, as JSON text', ADDRESS, {}, { text: '{"street":"A","number":1}' }, { street: 'A', number: 1 }],
    ['a schema', 'How many?', { schema: { type: 'integer', minimum: 1 } }, { text: '12' }, 12],
    ['a schema, by data', 'How many?', { schema: { type: 'integer' } }, { data: 12 }, 12],
  ])('%s is accepted as an answer', async (_, question, options, part, value) => {
    const { task } = await asking(question, options, variant);
    const done = await task('', toTask(await task('go'), part));
    expect(answered(done)).toEqual({ data: value });
  });

  test.each<[string, Question, AskOptions, Part, string]>([
    ['neither yes nor no', { confirm: 'Sure?' }, {}, { text: 'maybe' }, 'message.parts'],
    ['an unknown choice', SIZES, {}, { text: 'XS' }, 'message.parts'],
    ['a number beyond the choices', SIZES, {}, { text: '4' }, 'message.parts'],
    ['the choice 0', SIZES, {}, { text: '0' }, 'message.parts'],
    ['a form without a field', ADDRESS, {}, { data: { street: 'High St' } }, 'number'],
    ['a form with a wrong field', ADDRESS, {}, { data: { street: 'High St', number: 0 } }, 'number'],
    ['words for a number', 'How many?', { schema: { type: 'integer' } }, { text: 'many' }, 'message.parts'],
    ['too small a number', 'How many?', { schema: { type: 'integer', minimum: 1 } }, { text: '0' }, ''],
  ])('%s is rejected as an answer, and the question stays open', async (_, question, options, part, field) => {
    const { task, engine } = await asking(question, options, variant);
    const asked = await task('go');
    const refusal = task('', toTask(asked, part));
    await expect(refusal).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      violations: [{ field: expect.stringContaining(field), description: expect.any(String) }],
    });
    expect(await engine.get(ANN, asked.id)).toEqual(asked);
    const good: Part = 'form' in Object(question) ? { data: { street: 'A', number: 2 } } : { text: '1' };
    const yes: Part = 'confirm' in Object(question) ? { text: 'yes' } : good;
    expect((await task('', toTask(asked, yes))).status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('the message of a question has its options, fields and schema', async () => {
    const confirm = await asking({ confirm: 'Sure?' }, {}, variant);
    expect(statusText(await confirm.task('go'))).toMatch(/^Sure\? \(yes\/no\)\n\{"question":\{"kind":"confirm"/);
    const choose = await asking(SIZES, {}, variant);
    const { status } = await choose.task('go');
    expect(status.message?.parts).toEqual([
      { text: 'Which size?\n1. S\n2. Medium\n3. Large' },
      {
        data: {
          question: {
            kind: 'choose',
            text: 'Which size?',
            options: [
              { id: 'S', label: 'S' },
              { id: 'm', label: 'Medium' },
              { id: 'xl', label: 'Large' },
            ],
            schema: { type: 'string', enum: ['S', 'm', 'xl'] },
          },
        },
      },
    ]);
    const form = await asking(ADDRESS, {}, variant);
    const [words] = (await form.task('go')).status.message?.parts ?? [];
    expect(words).toEqual({ text: 'Where to?\n- Street\n- number' });
  });

  test('an answer can be the whole message, with its files', async () => {
    const { task } = await harness(
      async ({ ask }) => {
        const message = await ask('Send the file', { as: 'message' });
        const [, file] = message.parts;
        return { data: { text: message.text, file: (file ?? null) as JsonValue, id: message.messageId } };
      },
      { variant },
    );
    const asked = await task('go');
    const file = { raw: 'AQID', filename: 'a.bin', mediaType: 'application/octet-stream' };
    const message = userMessage('', { taskId: asked.id, parts: [{ text: 'here' }, file] });
    const done = await task('', { message });
    expect(answered(done)).toEqual({ data: { text: 'here', file, id: message.messageId } });
  });

  test.each<[string, Question, AskOptions]>([
    ['no question', '', {}],
    ['nothing to choose from', { choose: 'Which?', options: [] }, {}],
    ['an invalid schema', 'How many?', { schema: { type: 'count' } as never }],
    ['a schema for a typed question', { confirm: 'Sure?' }, { schema: { type: 'string' } }],
    ['no time to answer', 'Who?', { timeoutMs: 0 }],
    ['a number', 5 as never, {}],
  ])('a question with %s fails the task, and only the log has the reason', async (_, question, options) => {
    const { task, log } = await asking(question, options, variant);
    const failed = await task('go');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(statusText(failed)).toMatch(/^The agent failed\. Reference: /);
    expect(log).toContainEqual(expect.objectContaining({ message: 'A handler failed' }));
  });
});
