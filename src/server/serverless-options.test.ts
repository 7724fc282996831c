import { afterEach, expect, test, vi } from 'vitest';
import { agent } from './agent.ts';
import { readHandlerOptions } from './handler-options.ts';
import { DEFAULT_SERVERLESS } from './serverless-options.ts';

afterEach(() => vi.unstubAllEnvs());

const SUBJECT = agent({ name: 'Subject', description: 'Is served.', run: () => 'served' });
const SECRET = 'sixteen bytes at least';

function read(serverless: unknown, others: object = {}) {
  return readHandlerOptions('createHandler()', SUBJECT, { serverless, ...others }).serverless;
}

test('what is not said has its default', () => {
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

test('what is said counts, and addresses have no slash at their end', () => {
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
  ['something else', true, {}, 'serverless: must be an object like'],
  ['a member that there is not', { secrets: [] }, {}, 'serverless.secrets: is not an option; did you mean secret?'],
  ['a short secret', { secret: 'short' }, {}, 'serverless.secret: must have at least 16 bytes'],
  ['an empty secret', { secret: '' }, {}, 'serverless.secret: must be a text'],
  ['no secret in a list', { secret: [] }, {}, 'serverless.secret: must name one'],
  ['a hole in a list', { secret: [SECRET, undefined] }, {}, 'serverless.secret: must be a text'],
  ['a short secret for sweeps', { cronSecret: 'short' }, {}, 'serverless.cronSecret: must have at least 16 bytes'],
  ['no address', { url: 'agent' }, {}, 'serverless.url: must be a whole address'],
  ['an address with a query', { url: 'https://a.example/?b' }, {}, 'serverless.url: must end with its host or path'],
  ['no function', { after: 'later' }, {}, 'serverless.after: must be a function'],
  ['no function either', { fetch: {} }, {}, 'serverless.fetch: must be a function'],
  ['no time', { runMs: 0 }, {}, 'serverless.runMs: must be a whole number from 1 to'],
  ['half a task', { sweepLimit: 0.5 }, {}, 'serverless.sweepLimit: must be a whole number from 1 to'],
  ['its own path for callers', {}, { rpcPaths: ['/_tandem'] }, 'rpcPaths: must not be below /_tandem'],
  ['another role', {}, { role: 'web' }, 'serverless: is for processes that do everything'],
])('%s is refused', (_, serverless, others, problem) => {
  expect(() => read(serverless, others)).toThrow(problem);
});

test('no secret is quoted', () => {
  expect(() => read({ secret: 'tiny-secret', cronSecret: 'tiny-secret' })).toThrow(/^(?!.*tiny-secret)/s);
});

test.each([
  ['A2A_SECRET', 'serverless.secret'],
  ['CRON_SECRET', 'serverless.cronSecret'],
])('%s of the environment is as long as any other, unless it is not needed', (name, path) => {
  vi.stubEnv('A2A_SECRET', '');
  vi.stubEnv('CRON_SECRET', '');
  vi.stubEnv(name, 'short');
  expect(() => read({})).toThrow(`${path}: ${name} of the environment must have at least 16 bytes`);
  expect(read({ secret: SECRET, cronSecret: SECRET })).toMatchObject({ secrets: [SECRET], cronSecret: SECRET });
});
