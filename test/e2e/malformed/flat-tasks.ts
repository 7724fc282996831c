import { get, JSON_TYPE, type MalformedCase } from './case.ts';
import { accepted, type Expected, plain, rest } from './expected.ts';

const SEND = '/a2a/tasks/send';

function send(text: string, answer: Expected): MalformedCase {
  return { name: `POST ${SEND} with ${text}`, request: { path: SEND, headers: [JSON_TYPE], body: text }, answer };
}

const blank = plain(400, 'message: expected a non-blank string');

/** Requests of the corvid profile, which has its own paths and errors of one text. */
export const FLAT_TASKS: readonly MalformedCase[] = [
  ...['', '{}', 'null', '{"message":5}', '{"message":""}', '{"message":null}', '{"message":{"text":"hi"}}'].map(
    (text) => send(text, blank),
  ),
  send('[]', plain(400, 'Expected the body to be a JSON object')),
  send('{', plain(400, 'not valid JSON')),
  send('{"message":"hi","sessionId":5,"timeoutMs":null}', accepted()),
  ...['"x"', '0', '-1', '1.5', '600001'].map((value) =>
    send(`{"message":"hi","timeoutMs":${value}}`, plain(400, 'timeoutMs: expected an integer from 1 to 600000')),
  ),
  ...['"x"', '0', '4', '99'].map((value) =>
    send(`{"params":{"message":"hi","depth":${value}}}`, plain(400, 'params.depth: expected an integer from 1 to 3')),
  ),
  {
    name: 'text/plain',
    request: { path: SEND, headers: [['Content-Type', 'text/plain']], body: 'hi' },
    answer: plain(415, 'Expected the header Content-Type'),
  },
  {
    name: 'an unknown task',
    request: get('/a2a/tasks/nobody'),
    answer: plain(404, 'Task not found'),
  },
  { name: 'no task id', request: get('/a2a/tasks/'), answer: rest('METHOD_NOT_FOUND', 'No endpoint at') },
  { name: 'a broken id', request: get('/a2a/tasks/%zz'), answer: rest('METHOD_NOT_FOUND', 'No endpoint at') },
  {
    name: 'a wrong HTTP method',
    request: { method: 'PUT', path: SEND },
    answer: rest('METHOD_NOT_FOUND', 'No endpoint at'),
  },
];
