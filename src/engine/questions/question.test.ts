import { expect, test } from 'vitest';
import { A2AError } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import type { AskOptions, Question } from '../handler.ts';
import { type AskedQuestion, prepareQuestion, readAnswer } from './question.ts';

const message = (...parts: readonly Part[]): Message => ({ messageId: 'm', role: 'ROLE_USER', parts });

function asked(question: Question, options?: AskOptions): AskedQuestion {
  const { parts: _, ...rest } = prepareQuestion(question, options);
  return { ...rest, expiresAt: 0 };
}

test('a plain question is its text, and gives a text', () => {
  expect(prepareQuestion('Who?')).toEqual({ gives: 'text', sensitive: false, parts: [{ text: 'Who?' }] });
});

test('a question with a schema shows it as data', () => {
  const schema = { type: 'integer', minimum: 1 } as const;
  expect(prepareQuestion('How many?', { schema, sensitive: true })).toEqual({
    gives: 'value',
    schema,
    sensitive: true,
    parts: [{ text: 'How many?' }, { data: { question: { schema } } }],
  });
});

test('the fields of a form are all required unless some are named', () => {
  const fields = { a: { type: 'string' }, b: { type: 'string' } } as const;
  expect(prepareQuestion({ form: 'Where?', fields }).schema?.required).toEqual(['a', 'b']);
  expect(prepareQuestion({ form: 'Where?', fields, required: ['b'] }).schema?.required).toEqual(['b']);
});

test('equal questions are prepared equal, so that an answer finds its question again', () => {
  const question = { choose: 'Which?', options: ['a', { id: 'b', label: 'B' }] };
  expect(JSON.stringify(prepareQuestion(question))).toBe(JSON.stringify(prepareQuestion(question)));
});

test.each<[string, unknown, AskOptions]>([
  ['no text', '', {}],
  ['nothing', undefined, {}],
  ['null', null, {}],
  ['an unknown kind', { guess: 'x' }, {}],
  ['a confirmation without words', { confirm: '' }, {}],
  ['no options', { choose: 'Which?' }, {}],
  ['an option without an id', { choose: 'Which?', options: [{ id: '', label: 'x' }] }, {}],
  ['an option that is a number', { choose: 'Which?', options: [5] }, {}],
  ['a form without fields', { form: 'Where?' }, {}],
  ['a field with a wrong schema', { form: 'Where?', fields: { a: { type: 'text' } } }, {}],
  ['a schema of its own', { confirm: 'Sure?' }, { schema: {} }],
])('%s is the mistake of an author', (_, question, options) => {
  expect(() => prepareQuestion(question as Question, options)).toThrow(TypeError);
});

test('a text takes any message', () => {
  expect(readAnswer(asked('Who?'), message({ text: 'Ann' }))).toBe('Ann');
  expect(readAnswer(asked('Who?'), message())).toBe('');
  expect(readAnswer(asked('Who?'), message({ text: 'a' }, { data: 1 }))).toBe('a\n1');
});

test('a whole message is given if that was asked for, and checked if there is a schema', () => {
  const whole = message({ text: 'yes' }, { raw: 'AQ==' });
  expect(readAnswer(asked('File?', { as: 'message' }), whole)).toEqual(whole);
  expect(readAnswer(asked('File?', { as: 'message', schema: { type: 'boolean' } }), message({ data: true }))).toEqual(
    message({ data: true }),
  );
  expect(() => readAnswer(asked({ confirm: 'Sure?' }, { as: 'message' }), message({ text: 'hm' }))).toThrow(A2AError);
});

test.each<[string, Part, unknown]>([
  ['its id', { text: 'x-large' }, 'x-large'],
  ['its id in another case', { text: 'X-LARGE' }, 'x-large'],
  ['its label', { text: ' very big ' }, 'x-large'],
  ['its number', { text: '2' }, 'x-large'],
  ['data', { data: 'Very Big' }, 'x-large'],
  ['a number as data', { data: 2 }, 'x-large'],
])('an option is chosen by %s', (_, part, id) => {
  const question = { choose: 'Size?', options: ['S', { id: 'x-large', label: 'Very big' }] };
  expect(readAnswer(asked(question), message(part))).toBe(id);
});

test('the word of an option counts more than the number of another', () => {
  const question = { choose: 'How many?', options: ['2', '1'] };
  expect(readAnswer(asked(question), message({ text: '1' }))).toBe('1');
});

test.each<[string, Question, AskOptions, Part, string]>([
  ['yes or no', { confirm: 'Sure?' }, {}, { text: 'hm' }, 'expected yes or no; got "hm"'],
  ['the options', { choose: 'Which?', options: ['a', 'b'] }, {}, { text: 'c' }, 'expected one of a, b; got "c"'],
  ['the type', 'How many?', { schema: { type: 'integer' } }, { text: 'x' }, 'expected an integer; got "x"'],
  [
    'the choices of a schema',
    'Size?',
    { schema: { enum: ['S', 'M'] } },
    { text: 'x' },
    'expected one of "S", "M"; got "x"',
  ],
  [
    'the fields of a form',
    { form: 'Where?', fields: { street: {}, zip: {} } },
    {},
    { text: 'Elm St 3' },
    'expected a JSON object with the fields street, zip; got "Elm St 3"',
  ],
  [
    'the required and the optional fields of a form',
    { form: 'Where?', fields: { street: {}, zip: {}, floor: {} }, required: ['street', 'zip'] },
    {},
    { text: 'Elm St 3' },
    'expected a JSON object with the fields street, zip (optional: floor); got "Elm St 3"',
  ],
  [
    'the fields of a form without required fields',
    { form: 'Where?', fields: { street: {}, zip: {} }, required: [] },
    {},
    { text: 'Elm St 3' },
    'expected a JSON object with the optional fields street, zip; got "Elm St 3"',
  ],
])('the error for a wrong answer names %s and the answer', (_, question, options, part, text) => {
  const answer = (): unknown => readAnswer(asked(question, options), message(part));
  expect(answer).toThrow(text);
  expect(answer).toThrow(A2AError);
});

test('the error for a wrong form names each wrong field, the expected value and the answer', () => {
  const fields = { size: { enum: ['S', 'M', 'L'] }, number: { type: 'integer' } } as const;
  const answer = (): unknown =>
    readAnswer(asked({ form: 'Which?', fields }), message({ data: { size: 'XL', number: 'x' } }));
  expect(answer).toThrow(
    expect.objectContaining({
      code: 'INVALID_PARAMS',
      message:
        'The answer does not match the question: answer.size: expected one of "S", "M", "L"; got "XL" (and 1 more)',
      violations: [
        { field: 'answer.size', description: 'expected one of "S", "M", "L"; got "XL"' },
        { field: 'answer.number', description: 'expected an integer; got "x"' },
      ],
    }),
  );
});

test('the error for a wrong answer to a sensitive question does not contain the answer', () => {
  const text = asked({ choose: 'PIN?', options: ['1', '2'] }, { sensitive: true });
  expect(() => readAnswer(text, message({ text: '4711' }))).toThrow(/: expected one of 1, 2$/);
  const form = asked({ form: 'PIN?', fields: { pin: { type: 'string', maxLength: 4 } } }, { sensitive: true });
  expect(() => readAnswer(form, message({ data: { pin: '; got 4711' } }))).toThrow(
    expect.objectContaining({
      message: 'The answer does not match the question: answer.pin: expected 4 or fewer characters',
      violations: [{ field: 'answer.pin', description: 'expected 4 or fewer characters' }],
    }),
  );
});
