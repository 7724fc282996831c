import { expect, test } from 'vitest';
import { memoryStore } from '../store/memory/store.ts';
import { agent } from './agent.ts';
import { DEFAULT_LIMITS } from './limits/limit-settings.ts';
import { createHandler } from './handler.ts';
import { readHandlerOptions } from './handler-options.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });

/** What is wrong with the options, line by line. */
function faults(options: unknown): readonly string[] {
  try {
    readHandlerOptions('createHandler()', ECHO, options);
  } catch (error) {
    if (error instanceof TypeError) return error.message.split('\n');
    throw error;
  }
  return [];
}

test('whatever is wrong is told at once, each with its place', () => {
  const options: unknown = {
    strore: memoryStore(),
    store: 'tasks.db',
    publicUrl: 'example.com',
    trustProxy: 'yes',
    basePath: 'agent',
    rpcPaths: ['/a2a', 'rpc', '/a?b', 7],
    versions: ['1.0', '2.0', 1],
    strict: 1,
    profile: 'rx',
    restStyle: 'bare',
    cardForm: '0.2',
    streaming: null,
    pushNotifications: 'off',
    maxBodyBytes: 0,
    heartbeatMs: 1.5,
    retention: { maxAge: 5, maxAgeMs: -1, everyMs: 0, maxEnded: '7' },
    log: { info() {}, warn() {} },
  };

  expect(faults(options)).toEqual([
    'createHandler() cannot use these options:',
    '  - strore: is not an option; did you mean store?',
    '  - versions[1]: must be one of 1.0, 0.3, 0.2, 0.1',
    '  - versions[2]: must be one of 1.0, 0.3, 0.2, 0.1',
    '  - profile: must be "rxjs" or "agent-native" or "corvid"',
    '  - restStyle: must be "proto" or "kind" or "kind-bare"',
    '  - strict: must be true or false, not 1',
    '  - store: must be a store such as memoryStore(), not a text',
    '  - publicUrl: must be a whole address that starts with https:// or http://',
    '  - trustProxy: must be true or false, not a text',
    '  - basePath: must be a path such as "/a2a"',
    '  - rpcPaths[1]: must be a path such as "/a2a"',
    '  - rpcPaths[2]: must be a path such as "/a2a"',
    '  - rpcPaths[3]: must be a path such as "/a2a"',
    '  - cardForm: must be "superset" or "1.0" or "0.3"',
    '  - streaming: must be true, false or { closeWithWhole: true }, not null',
    '  - pushNotifications: must be true or false, not a text',
    '  - maxBodyBytes: must be a whole number, 1 or more, not 0',
    '  - heartbeatMs: must be a whole number from 1 to 2147483647, not 1.5',
    '  - retention.maxAge: is not an option; did you mean maxAgeMs?',
    '  - retention.maxAgeMs: must be a whole number, not -1',
    '  - retention.maxEnded: must be a whole number, not a text',
    '  - retention.everyMs: must be a whole number, not 0',
    '  - log: must be an object like console, with info, warn, error',
  ]);
});

test.each([
  [null, 'options: must be an object, not null'],
  ['4100', 'options: must be an object, not a text'],
  [{ versions: [] }, 'versions: must name one, or be left out for the usual ones'],
  [{ versions: '1.0' }, 'versions: must be a list of versions, not a text'],
  [{ profile: [] }, 'profile: must name one, or be left out for the usual ones'],
  [{ profile: ['rxjs', 'rx'] }, 'profile[1]: must be "rxjs" or "agent-native" or "corvid"'],
  [{ profile: 'rxjs', rpcPaths: ['/api/a2a'] }, 'rpcPaths: must not have /api/a2a, which belongs to the profile rxjs'],
  [
    { profile: 'corvid', rpcPaths: ['/a2a', '/a2a/tasks/send'] },
    'rpcPaths: must not have /a2a/tasks/send, which belongs to the profile corvid',
  ],
  [{ rpcPaths: [] }, 'rpcPaths: must name one, or be left out for the usual ones'],
  [{ store: {} }, 'store: must be a store such as memoryStore(), with create, append, read'],
  [{ store: () => memoryStore() }, 'store: must be a store such as memoryStore(), not a function'],
  [{ retention: 30 }, 'retention: must be an object like { maxAgeMs: 86_400_000 }, not 30'],
  [{ tracing: true }, "tracing: must be what import * as api from '@opentelemetry/api' gives, or false"],
  [{ metrics: 'on' }, 'metrics: must be true or false, not a text'],
  [{ audit: {} }, 'audit: must be a function that takes a record, not an object'],
  [{ log: () => {} }, 'log: must be an object like console, not a function'],
  [{ publicUrl: 'https://example.com/?tenant=a' }, 'publicUrl: must end with its host or path, without a query'],
  [{ publicUrl: 'https://me:secret@example.com' }, 'publicUrl: must hold no user name or password: the card is public'],
  [{ heartbeatMs: 2 ** 31 }, 'heartbeatMs: must be a whole number from 1 to 2147483647, not 2147483648'],
  [
    { versions: ['1.0', '0.2'], cardForm: '0.3' },
    'cardForm: must be of a version that is answered, and versions has no "0.3"',
  ],
  [
    { versions: ['0.3'], cardForm: '1.0' },
    'cardForm: must be of a version that is answered, and versions has no "1.0"',
  ],
  [{ port: 4100 }, expect.stringMatching(/^port: is not an option; /)],
])('%j is refused', (options, fault) => {
  const [, line = ''] = faults(options);

  expect(line.slice('  - '.length)).toEqual(fault);
});

test.each([undefined, null, {}, () => 'echo', { run: () => 'echo' }])('%j is no agent', (value) => {
  expect(() => createHandler(value as never)).toThrow(/^createHandler\(\) takes what agent\(\) makes, not /);
});

test('what is not said has its default', () => {
  expect(readHandlerOptions('createHandler()', ECHO, {})).toEqual({
    store: undefined,
    enforceOutputModes: false,
    streams: undefined,
    publicUrl: undefined,
    trustProxy: false,
    basePath: '',
    rpcPaths: ['/a2a', '/'],
    offer: { versions: ['1.0', '0.3', '0.2', '0.1'], strict: false },
    cardForm: 'superset',
    streaming: true,
    pushNotifications: false,
    stateTransitionHistory: true,
    deduplicateByMessageId: true,
    maxBodyBytes: 8 * 1024 * 1024,
    heartbeatMs: 15_000,
    retention: undefined,
    log: undefined,
    limits: { ...DEFAULT_LIMITS, given: new Set() },
    tracing: undefined,
    metrics: false,
    audit: undefined,
    insecurePublic: false,
    role: 'all',
  });
});

test.each([
  { versions: ['0.1'], cardForm: 'superset' },
  { versions: ['1.0', '0.3'], cardForm: '0.3' },
])('%j is taken', (options) => {
  expect(faults(options)).toEqual([]);
});

test('a heartbeat may be as rare as a timer can be', () => {
  expect(readHandlerOptions('createHandler()', ECHO, { heartbeatMs: 2 ** 31 - 1 }).heartbeatMs).toBe(2147483647);
});

test('what is set to undefined is not set', () => {
  const unset = { everyMs: undefined, maxEnded: undefined, maxAgeMs: 5 };

  const { retention } = readHandlerOptions('createHandler()', ECHO, { retention: unset, heartbeatMs: undefined });

  expect(Object.entries(retention ?? {})).toEqual([['maxAgeMs', 5]]);
});

test('addresses and paths lose the slash at their end', () => {
  const { publicUrl, basePath, rpcPaths } = readHandlerOptions('createHandler()', ECHO, {
    publicUrl: 'https://example.com/agent//',
    basePath: '/agent/',
    rpcPaths: ['/', '/rpc/'],
  });

  expect({ publicUrl, basePath, rpcPaths }).toEqual({
    publicUrl: 'https://example.com/agent',
    basePath: '/agent',
    rpcPaths: ['/', '/rpc'],
  });
});

test('console is a log, and any class with the methods of a store is one', () => {
  const store = memoryStore();

  expect(readHandlerOptions('createHandler()', ECHO, { log: console, store })).toMatchObject({ log: console, store });
});
