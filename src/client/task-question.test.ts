import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../model/json.ts';
import { SENSITIVE } from '../model/question.ts';
import type { TaskState } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import { answerMessage, type AnswerInput, dependsOnQuestion, questionOf, type TaskQuestion } from './task-question.ts';

function asking(question: JsonValue | undefined, state: TaskState = 'TASK_STATE_INPUT_REQUIRED', metadata = {}): Task {
  const parts = [{ text: 'Which?\n1. A' }, ...(question === undefined ? [] : [{ data: { question } }])];
  const message = { messageId: 'm', role: 'ROLE_AGENT', parts, metadata } as const;
  return { id: 't', contextId: 'c', status: { state, message } };
}

const BOOLEAN = { type: 'boolean' } as const;
const FORM = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const OPTIONS = [{ id: 'a', label: 'A' }];

test.each<[string, JsonValue | undefined, object]>([
  ['a text', undefined, { kind: 'text', text: 'Which?\n1. A' }],
  ['a yes/no question', { kind: 'confirm', text: 'Sure?', schema: BOOLEAN }, { kind: 'confirm', text: 'Sure?' }],
  [
    'a choice',
    { kind: 'choose', text: 'Which?', options: OPTIONS, schema: { type: 'string', enum: ['a'] } },
    { kind: 'choose', text: 'Which?', options: OPTIONS },
  ],
  [
    'a form',
    { kind: 'form', text: 'Who?', schema: FORM },
    { kind: 'form', text: 'Who?', fields: FORM.properties, required: ['text'], schema: FORM },
  ],
  ['an object with fields', { schema: FORM }, { kind: 'form', fields: FORM.properties, required: ['text'] }],
  ['a value', { schema: BOOLEAN }, { kind: 'value', text: 'Which?\n1. A', schema: BOOLEAN }],
  ['a schema that is not supported', { text: 'Which?', schema: { oneOf: [] } }, { kind: 'text', text: 'Which?\n1. A' }],
  [
    'options of another format',
    { kind: 'choose', options: ['a'], schema: BOOLEAN },
    { kind: 'value', schema: BOOLEAN },
  ],
  ['no options', { kind: 'choose', options: [] }, { kind: 'text' }],
  ['data of another agent', 'Which?', { kind: 'text' }],
])('questionOf() reads %s', (_case, given, question) => {
  expect(questionOf(asking(given))).toMatchObject({ isSensitive: false, ...question });
});

test('a task that waits for an authorization asks a sensitive question', () => {
  const question = questionOf(asking(undefined, 'TASK_STATE_AUTH_REQUIRED'));
  expect(question).toEqual({
    kind: 'auth-required',
    id: 'm',
    path: [],
    text: 'Which?\n1. A',
    isSensitive: true,
  });
});

test('a question that is marked as sensitive is sensitive', () => {
  expect(questionOf(asking(undefined, undefined, { [SENSITIVE]: true }))?.isSensitive).toBe(true);
});

test.each(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'] as const)('a task in %s asks nothing', (state) => {
  expect(questionOf(asking({ kind: 'confirm', text: 'Sure?' }, state))).toBeUndefined();
});

describe('the message of an answer', () => {
  const facts = { id: 'q', path: [], text: 'Which?', isSensitive: false };
  const questions = {
    text: { kind: 'text', ...facts },
    confirm: { kind: 'confirm', ...facts },
    choose: { kind: 'choose', ...facts, options: OPTIONS },
    form: { kind: 'form', ...facts, schema: FORM, fields: FORM.properties, required: ['text'] },
    value: { kind: 'value', ...facts, schema: {} },
    object: { kind: 'value', ...facts, schema: { type: 'object' } },
    auth: { kind: 'auth-required', ...facts, text: 'Log in', isSensitive: true },
    none: undefined,
  } satisfies Record<string, TaskQuestion | undefined>;
  const data = (value: JsonValue): object => ({ parts: [{ data: value }] });

  test.each<[keyof typeof questions, AnswerInput, object]>([
    ['text', 'Rome', { text: 'Rome' }],
    ['text', true, { text: 'yes' }],
    ['text', false, { text: 'no' }],
    ['text', 7, { text: '7' }],
    ['text', { city: 'Rome' }, data({ city: 'Rome' })],
    ['none', 7, { text: '7' }],
    ['confirm', true, data(true)],
    ['confirm', 'yes', { text: 'yes' }],
    ['choose', 2, { text: '2' }],
    ['value', 7, data(7)],
    ['value', null, data(null)],
    ['value', [1, 2], data([1, 2])],
    ['form', { text: 'Ann' }, data({ text: 'Ann' })],
    ['object', { text: 'Ann' }, data({ text: 'Ann' })],
    ['form', { text: 'Ann', metadata: {} }, { text: 'Ann', metadata: {} }],
    ['text', { text: 'Ann' }, { text: 'Ann' }],
    ['text', { text: 'Ann', age: 3 }, data({ text: 'Ann', age: 3 })],
    ['form', { parts: [{ text: 'Ann' }] }, { parts: [{ text: 'Ann' }] }],
  ])('to a question %s, %j is %j', (question, answer, message) => {
    expect(answerMessage(answer, questions[question], false)).toEqual(message);
  });

  test('every part of a sensitive answer is marked', () => {
    const message = answerMessage({ text: 'a', parts: [{ data: 1, metadata: { b: 2 } }] }, questions.auth, true);
    const metadata = { [SENSITIVE]: true };
    expect(message.parts).toEqual([
      { text: 'a', metadata },
      { data: 1, metadata: { b: 2, ...metadata } },
    ]);
  });

  test('a function is not an answer', () => {
    const answer: unknown = () => 1;
    expect(() => answerMessage(answer as AnswerInput, undefined, false)).toThrow('answer: expected a string');
  });

  test.each<[AnswerInput, boolean]>([
    ['yes', false],
    [{ parts: [{ text: 'yes' }] }, false],
    [{ text: 'yes' }, true],
    [{ parts: 3 }, true],
    [true, true],
    [null, true],
  ])('that %j is sent as it is without reading the question first: not %j', (answer, depends) => {
    expect(dependsOnQuestion(answer)).toBe(depends);
  });
});
