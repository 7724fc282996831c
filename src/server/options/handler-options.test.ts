import { expect, test } from 'vitest';
import { memoryStore } from '../../store/memory/store.ts';
import { agent } from '../../agent/agent.ts';
import { DEFAULT_RETENTION } from '../../engine/schedule/retention.ts';
import { FILES } from '../../host/options/file-options.ts';
import { PUSH } from '../../host/options/push-options.ts';
import { defaultsOf } from '../../support/options.ts';
import { DEFAULT_LIMITS } from '../../host/limits/limit-settings.ts';
import { createHandler } from '../handler.ts';
import { readHandlerOptions } from './handler-options.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });

/** The lines of the error message. */
function faults(options: unknown): readonly string[] {
  try {
    readHandlerOptions('createHandler()', ECHO, options);
  } catch (error) {
    if (error instanceof TypeError) return error.message.split('\n');
    throw error;
  }
  return [];
}

test('readHandlerOptions() reports every problem at once, with its path', () => {
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
    'Invalid options for createHandler():',
    '  - strore: is not an option; did you mean store?',
    '  - store: expected a store such as memoryStore(), got a string',
    '  - publicUrl: expected an absolute URL that starts with https:// or http://',
    '  - trustProxy: expected true or false, got a string',
    '  - basePath: expected a path such as "/a2a", got "agent"',
    '  - strict: expected true or false, got 1',
    '  - pushNotifications: expected true or false, got a string',
    '  - maxBodyBytes: expected a whole number >= 1, got 0',
    '  - heartbeatMs: expected a whole number from 1 to 2147483647, got 1.5',
    '  - retention.maxAge: is not an option; did you mean maxAgeMs?',
    '  - retention.maxAgeMs: expected a whole number >= 0, got -1',
    '  - retention.maxEnded: expected a whole number >= 0, got a string',
    '  - retention.everyMs: expected a whole number >= 1, got 0',
    '  - log: expected an object such as console, with the methods info, warn, error',
    '  - versions[1]: expected one of 1.0, 0.3, 0.2, 0.1, got "2.0"',
    '  - versions[2]: expected one of 1.0, 0.3, 0.2, 0.1, got 1',
    '  - profile: expected "rxjs" or "agent-native" or "corvid", got "rx"',
    '  - restStyle: expected "proto" or "kind" or "kind-bare", got "bare"',
    '  - rpcPaths[1]: expected a path such as "/a2a", got "rpc"',
    '  - rpcPaths[2]: expected a path such as "/a2a", got "/a?b"',
    '  - rpcPaths[3]: expected a path such as "/a2a", got 7',
    '  - cardForm: expected "superset" or "1.0" or "0.3", got "0.2"',
    '  - streaming: expected true, false or { closeWithWhole: true }, got null',
  ]);
});

test.each([
  [null, 'options: expected an object, got null'],
  ['4100', 'options: expected an object, got a string'],
  [{ versions: [] }, 'versions: must not be empty; leave it out to use the default'],
  [{ versions: '1.0' }, 'versions: expected an array of versions, got a string'],
  [{ profile: [] }, 'profile: must not be empty; leave it out to use the default'],
  [{ profile: ['rxjs', 'rx'] }, 'profile[1]: expected "rxjs" or "agent-native" or "corvid", got "rx"'],
  [
    { profile: 'rxjs', rpcPaths: ['/api/a2a'] },
    'rpcPaths: must not include /api/a2a, which belongs to the profile rxjs',
  ],
  [
    { profile: 'corvid', rpcPaths: ['/a2a', '/a2a/tasks/send'] },
    'rpcPaths: must not include /a2a/tasks/send, which belongs to the profile corvid',
  ],
  [{ rpcPaths: [] }, 'rpcPaths: must not be empty; leave it out to use the default'],
  [{ store: {} }, 'store: expected a store such as memoryStore(), with the methods create, append, read'],
  [{ store: () => memoryStore() }, 'store: expected a store such as memoryStore(), got a function'],
  [{ retention: 30 }, 'retention: expected an object such as { maxAgeMs: 86_400_000 }, got 30'],
  [{ tracing: true }, "tracing: expected the namespace of import * as api from '@opentelemetry/api', or false"],
  [{ metrics: 'on' }, 'metrics: expected true or false, got a string'],
  [{ audit: {} }, 'audit: expected a function that takes a record, got an object'],
  [{ log: () => {} }, 'log: expected an object such as console, got a function'],
  [{ publicUrl: 'https://example.com/?tenant=a' }, 'publicUrl: must not have a query or fragment'],
  [{ publicUrl: 'https://me:secret@example.com' }, 'publicUrl: must not contain a user name or password'],
  [{ heartbeatMs: 2 ** 31 }, 'heartbeatMs: expected a whole number from 1 to 2147483647, got 2147483648'],
  [{ versions: ['1.0', '0.2'], cardForm: '0.3' }, 'cardForm: requires "0.3" in versions'],
  [{ versions: ['0.3'], cardForm: '1.0' }, 'cardForm: requires "1.0" in versions'],
  [{ port: 4100 }, expect.stringMatching(/^port: is not an option; /)],
])('the options %j are rejected', (options, fault) => {
  const [, line = ''] = faults(options);

  expect(line.slice('  - '.length)).toEqual(fault);
});

test.each([undefined, null, {}, () => 'echo', { run: () => 'echo' }])(
  'createHandler() rejects %j as an agent',
  (value) => {
    expect(() => createHandler(value as never)).toThrow(
      /^createHandler\(\) expects an agent created with agent\(\), got /,
    );
  },
);

test('missing handler options have their defaults', () => {
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
    retention: DEFAULT_RETENTION,
    strict: false,
    push: defaultsOf(PUSH),
    files: defaultsOf(FILES),
    log: undefined,
    limits: { ...DEFAULT_LIMITS, given: new Set() },
    tracing: undefined,
    metrics: false,
    audit: undefined,
    insecurePublic: false,
    role: 'all',
    selfPaths: [],
  });
});

test.each([
  { versions: ['0.1'], cardForm: 'superset' },
  { versions: ['1.0', '0.3'], cardForm: '0.3' },
])('the options %j are accepted', (options) => {
  expect(faults(options)).toEqual([]);
});

test('heartbeatMs may be as long as the longest timer', () => {
  expect(readHandlerOptions('createHandler()', ECHO, { heartbeatMs: 2 ** 31 - 1 }).heartbeatMs).toBe(2147483647);
});

test('an option that is undefined has its default', () => {
  const unset = { everyMs: undefined, maxEnded: undefined, maxAgeMs: 5 };

  const { retention } = readHandlerOptions('createHandler()', ECHO, { retention: unset, heartbeatMs: undefined });

  expect(retention).toEqual({ ...DEFAULT_RETENTION, maxAgeMs: 5 });
});

test('URLs and paths lose their trailing slashes', () => {
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

test('console is accepted as a log, and a memory store as a store', () => {
  const store = memoryStore();

  expect(readHandlerOptions('createHandler()', ECHO, { log: console, store })).toMatchObject({ log: console, store });
});
