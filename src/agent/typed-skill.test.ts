import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { agent, type Agent } from './agent.ts';
import { skill, type TypedSkill } from './typed-skill.ts';

const BASE = { name: 'Database', description: 'Answers queries.' };
const QUERY = { id: 'run-query', description: 'Runs a query.', input: { type: 'string' }, run: () => 'ok' } as const;

const fault = (options: object): string => {
  try {
    agent(options as never);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('The options were accepted');
};

test('an agent needs no run if every skill has one', () => {
  expect(() => agent({ ...BASE, skills: [skill(QUERY)] })).not.toThrow();
  expect(fault({ ...BASE, skills: [] })).toContain('run: is required: pass an async function');
  expect(fault({ ...BASE, skills: [skill(QUERY), { id: 'a', name: 'A', description: 'A' }] })).toContain(
    'run: is required, because skill "a" has no handler of its own',
  );
  expect(fault({ ...BASE, skills: [skill(QUERY)], tools: [{ name: 'look' }] })).toContain('because skill "look" has');
  expect(fault({ ...BASE, skills: [skill(QUERY)], run: 'x' })).toContain('run: expected an async function');
});

test.each<[string, object]>([
  ['skills[0].run: is required: pass an async function or generator', { ...QUERY, run: undefined }],
  ['skills[0].run: is required', { ...QUERY, run: 'x' }],
  ['skills[0].input: is required: pass a schema', { ...QUERY, input: undefined }],
  ['skills[0].input: schema.type must be one of', { ...QUERY, input: { type: 'text' } }],
  ['skills[0].output: schema must be an object', { ...QUERY, output: 'text' }],
  ['skills[0].description: is required', { ...QUERY, description: undefined }],
  ['skills[0].outputs: is not an option; did you mean output?', { ...QUERY, outputs: {} }],
  ['skills[1].id: is already used by skills[0]', QUERY],
])('agent() reports %s', (problem, wrong) => {
  const skills = problem.startsWith('skills[1]') ? [skill(QUERY), wrong] : [wrong];
  expect(fault({ ...BASE, skills })).toContain(`\n  - ${problem}`);
});

test('agent() leaves the schema of a library as it is', () => {
  const input = z.object({ sql: z.string() });
  agent({ ...BASE, skills: [skill({ ...QUERY, input })] });
  expect(Object.isFrozen(input)).toBe(false);
  expect(input.parse({ sql: 'x' })).toEqual({ sql: 'x' });
});

test('a later change of a schema does not change the skill', () => {
  const input = { type: 'string', maxLength: 3 };
  const made = agent({ ...BASE, skills: [skill({ ...QUERY, input: input as { type: 'string' } })] });
  input.maxLength = 100;
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: 'long text' }] } as const;
  expect(() => made.admit(message, [], 'run-query')).toThrow('expected 3 or fewer characters');
});

test('a schema that its library cannot write as JSON Schema is empty on the card', () => {
  const made = agent({ ...BASE, skills: [skill({ ...QUERY, input: z.object({ at: z.date() }) })] });
  expect(schemasOf(made)).toEqual({ 'run-query': { input: {} } });
});

test('the output schema on the card is that of the published value', () => {
  const output = z.object({ n: z.string().transform(Number).pipe(z.number()) });
  const made = agent({ ...BASE, skills: [skill({ ...QUERY, output, run: () => ({ n: '1' }) })] });
  expect(schemasOf(made)).toMatchObject({ 'run-query': { output: { properties: { n: { type: 'number' } } } } });
});

function schemasOf({ card }: Agent): unknown {
  return card.extensions?.find(({ uri }) => uri === 'urn:tandem-a2a:skill:1')?.params?.['skills'];
}

type Sent<S extends TypedSkill> = NonNullable<S['~types']>;

test('the input and the returned value have the types of the schemas', () => {
  interface Row {
    readonly name: string;
    readonly age?: number;
  }
  const rows: Row[] = [];
  const typed = skill({
    id: 'a',
    description: 'A',
    input: { type: 'object', properties: { sql: { type: 'string' }, n: { type: 'integer' } }, required: ['sql'] },
    output: z.object({ rows: z.array(z.object({ name: z.string(), age: z.number().optional() })) }),
    run({ input }) {
      expectTypeOf(input.sql).toEqualTypeOf<string>();
      expectTypeOf(input.n).toEqualTypeOf<number | undefined>();
      return { rows };
    },
  });
  expectTypeOf<Sent<typeof typed>['input']>().toExtend<{ readonly sql: string; readonly n?: number }>();
  expectTypeOf<Sent<typeof typed>['output']>().toEqualTypeOf<{ rows: { name: string; age?: number | undefined }[] }>();
  skill({ ...QUERY, run: ({ input }) => input.toUpperCase() });
  // An interface is accepted where the schema does not list the members.
  skill({ ...QUERY, output: { type: 'object' }, run: (): Row => ({ name: 'Ann' }) });
  // @ts-expect-error The output must match its schema.
  skill({ ...QUERY, output: { type: 'integer' }, run: () => 'text' });
  // @ts-expect-error The output must be returned.
  skill({ ...QUERY, output: { type: 'integer' }, async run() {} });
  // @ts-expect-error The input has no such member.
  skill({ ...QUERY, input: z.object({ a: z.string() }), run: ({ input }) => input.b });
});
