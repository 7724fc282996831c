import { afterEach, expect, test, vi } from 'vitest';
import { agent } from '../../agent/agent.ts';
import { readHandlerOptions } from '../options/handler-options.ts';
import { DEFAULT_SERVERLESS } from './serverless-options.ts';

afterEach(() => vi.unstubAllEnvs());

const SUBJECT = agent({ name: 'Subject', description: 'Is served.', run: () => 'served' });
const SECRET = 'sixteen bytes at least';

function read(serverless: unknown, others: object = {}) {
  return readHandlerOptions('createHandler()', SUBJECT, { serverless, ...others }).serverless;
}

test('missing members of serverless have their defaults', () => {
  vi.stubEnv('A2A_SECRET', SECRET);
  vi.stubEnv('CRON_SECRET', '');
  expect(read(undefined)).toBeUndefined();
  expect(read({})).toEqual({
    ...DEFAULT_SERVERLESS,
    secrets: [SECRET],
    cronSecret: undefined,
    url: undefined,
    after: undefined,
    fetch: undefined,
  });
});

test('configured members override the defaults, and url loses its trailing slash', () => {
  vi.stubEnv('A2A_SECRET', 'of the environment');
  const [after, fetch] = [() => {}, async () => new Response()];
  const given = { secret: [SECRET, `${SECRET}!`], cronSecret: SECRET, url: 'https://agent.example/a/', after, fetch };
  expect(read({ ...given, runMs: 1, sweepLimit: 7 })).toEqual({
    ...DEFAULT_SERVERLESS,
    secrets: given.secret,
    cronSecret: SECRET,
    url: 'https://agent.example/a',
    after,
    fetch,
    runMs: 1,
    sweepLimit: 7,
  });
});

test.each([
  ['a boolean instead of an object', true, {}, 'serverless: expected an object such as'],
  ['an unknown member', { secrets: [] }, {}, 'serverless.secrets: is not an option; did you mean secret?'],
  ['a short secret', { secret: 'short' }, {}, 'serverless.secret: must have at least 16 bytes'],
  ['an empty secret', { secret: '' }, {}, 'serverless.secret: expected a string'],
  ['an empty list of secrets', { secret: [] }, {}, 'serverless.secret: must not be empty'],
  ['an undefined secret in a list', { secret: [SECRET, undefined] }, {}, 'serverless.secret: expected a string'],
  ['a short cronSecret', { cronSecret: 'short' }, {}, 'serverless.cronSecret: must have at least 16 bytes'],
  ['an invalid URL', { url: 'agent' }, {}, 'serverless.url: expected an absolute URL'],
  ['a URL with a query', { url: 'https://a.example/?b' }, {}, 'serverless.url: must not have a query or fragment'],
  ['a string as after', { after: 'later' }, {}, 'serverless.after: expected a function'],
  ['an object as fetch', { fetch: {} }, {}, 'serverless.fetch: expected a function'],
  ['a runMs of 0', { runMs: 0 }, {}, 'serverless.runMs: expected a whole number from 1 to'],
  ['a fractional sweepLimit', { sweepLimit: 0.5 }, {}, 'serverless.sweepLimit: expected a whole number from 1 to'],
  ['an rpcPath below its own path', {}, { rpcPaths: ['/_tandem'] }, 'rpcPaths: must not be below /_tandem'],
  ['the role web', {}, { role: 'web' }, 'serverless: requires role'],
])('serverless with %s is rejected', (_, serverless, others, problem) => {
  expect(() => read(serverless, others)).toThrow(problem);
});

test('error messages about serverless contain no secret', () => {
  expect(() => read({ secret: 'tiny-secret', cronSecret: 'tiny-secret' })).toThrow(/^(?!.*tiny-secret)/s);
});

test.each([
  ['A2A_SECRET', 'serverless.secret'],
  ['CRON_SECRET', 'serverless.cronSecret'],
])('the environment variable %s must have 16 bytes, unless the option overrides it', (name, path) => {
  vi.stubEnv('A2A_SECRET', '');
  vi.stubEnv('CRON_SECRET', '');
  vi.stubEnv(name, 'short');
  expect(() => read({})).toThrow(`${path}: environment variable ${name} must have at least 16 bytes`);
  expect(read({ secret: SECRET, cronSecret: SECRET })).toMatchObject({ secrets: [SECRET], cronSecret: SECRET });
});
