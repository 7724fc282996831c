import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { artifactText, harness, statusText, userMessage, VARIANTS } from '../../../test/engine/harness.ts';
import type { StandardSchema } from '../../model/standard-schema.ts';
import { toAnswerSchema } from './schema-question.ts';

const Address = z.object({
  street: z.string().min(2),
  number: z.number().int().positive(),
  kind: z.enum(['home', 'work']).optional(),
  since: z.iso.date().transform((text) => new Date(text)),
});

test('the caller sees the part of a zod schema that a form can show', () => {
  expect(toAnswerSchema(Address)).toEqual({
    type: 'object',
    properties: {
      street: { type: 'string', minLength: 2 },
      number: { type: 'integer' },
      kind: { type: 'string', enum: ['home', 'work'] },
      since: { type: 'string', format: 'date', pattern: expect.any(String) },
    },
    required: ['street', 'number', 'since'],
  });
});

test('a schema without a form in JSON Schema accepts every answer until the library checks it', () => {
  expect(toAnswerSchema(z.custom<string>(() => true))).toEqual({});
  expect(toAnswerSchema({ '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } })).toEqual({});
});

test.each(VARIANTS)('the answer has the output type of the schema, on $name', async (variant) => {
  const { task, reply } = await harness(
    async function* ({ ask }) {
      const answer = await ask('Where?', { schema: Address });
      expectTypeOf(answer).toEqualTypeOf<z.output<typeof Address>>();
      yield `${answer.street} ${answer.number} since ${answer.since.getFullYear()}`;
    },
    { variant },
  );
  const asked = await task('go');
  const data = { street: 'High St', number: 3, since: '2020-05-01' };
  const done = await reply(asked, '', { message: userMessage('', { taskId: asked.id, parts: [{ data }] }) });
  expect(artifactText(done)).toBe('High St 3 since 2020');
});

test.each(VARIANTS)(
  'an answer that only the library rejects is asked for again with the reason, on $name',
  async (variant) => {
    const even: StandardSchema<number> = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: (value) =>
          Number(value) % 2 === 0 ? { value: Number(value) } : { issues: [{ message: 'must be even', path: ['n'] }] },
      },
    };
    const first = await harness(async ({ ask }) => `${await ask('Which number?', { schema: even })}`, { variant });
    const asked = await first.task('go');
    const again = await first.reply(asked, '3');
    expect(again.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(statusText(again)).toContain('Which number?\nThe last answer did not match: n: must be even');
    const second = await first.restart();
    expect(artifactText(await second.reply(asked, '4'))).toBe('4');
  },
);

test('the server rejects an answer that does not match the shown part of the schema', async () => {
  const { task, reply } = await harness(async ({ ask }) => (await ask('Where?', { schema: Address })).street);
  const asked = await task('go');
  const data = { street: 'x', number: 3, since: '2020-05-01' };
  const wrong = reply(asked, '', { message: userMessage('', { taskId: asked.id, parts: [{ data }] }) });
  await expect(wrong).rejects.toMatchObject({ code: 'INVALID_PARAMS', message: expect.stringContaining('street') });
});
