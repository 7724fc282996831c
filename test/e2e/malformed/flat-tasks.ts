import { get, JSON_TYPE, type MalformedCase } from './case.ts';
import { accepted, type Expected, rest } from './expected.ts';

const SEND = '/a2a/tasks/send';

function send(text: string, answer: Expected): MalformedCase {
  return { name: `POST ${SEND} with ${text}`, request: { path: SEND, headers: [JSON_TYPE], body: text }, answer };
}

const blank = rest('INVALID_PARAMS', 'expected a text that is not blank', { words: 'old', field: 'message' });

/** The profile with paths of its own; its errors are those of 0.3. */
export const FLAT_TASKS: readonly MalformedCase[] = [
  ...['', '{}', 'null', '{"message":5}', '{"message":""}', '{"message":null}', '{"message":{"text":"hi"}}'].map(
    (text) => send(text, blank),
  ),
  send('[]', rest('INVALID_PARAMS', 'Expected the body to be a JSON object', { words: 'old' })),
  send('{', rest('PARSE_ERROR', 'not valid JSON', { words: 'old' })),
  send('{"message":"hi","sessionId":5,"timeoutMs":"x"}', accepted()),
  {
    name: 'text/plain',
    request: { path: SEND, headers: [['Content-Type', 'text/plain']], body: 'hi' },
    answer: rest('CONTENT_TYPE_NOT_SUPPORTED', 'Expected the header Content-Type', { words: 'old', status: 415 }),
  },
  {
    name: 'an unknown task',
    request: get('/a2a/tasks/nobody'),
    answer: rest('TASK_NOT_FOUND', 'Task nobody does not exist', { words: 'old' }),
  },
  { name: 'no task', request: get('/a2a/tasks/'), answer: rest('METHOD_NOT_FOUND', 'There is nothing at') },
  { name: 'a broken id', request: get('/a2a/tasks/%zz'), answer: rest('METHOD_NOT_FOUND', 'There is nothing at') },
  {
    name: 'a verb that it has not',
    request: { method: 'PUT', path: SEND },
    answer: rest('METHOD_NOT_FOUND', 'There is nothing at'),
  },
];
