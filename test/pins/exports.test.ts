import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../helpers/source.ts';

/** The exported names. Users import them, so to add or remove one is a decision. */
const ENTRIES = {
  '.': () => import('../../src/index.ts'),
  './server': () => import('../../src/server/index.ts'),
  './node': () => import('../../src/node/index.ts'),
  './store': () => import('../../src/store/index.ts'),
  './sqlite': () => import('../../src/store/sqlite/store.ts'),
  './postgres': () => import('../../src/store/postgres/index.ts'),
  './webhooks': () => import('../../src/webhooks/index.ts'),
  './testing': () => import('../../src/testing/index.ts'),
  './ai-sdk': () => import('../../src/ai-sdk/index.ts'),
};

const NAMES = {
  '.': ['A2AError', 'connect', 'inspectCard', 'tryDiscover'],
  './server': [
    'CallError',
    'Engine',
    'QuestionCanceledError',
    'QuestionExpiredError',
    'agent',
    'apiKeys',
    'basicAuth',
    'bearerTokens',
    'createHandler',
    'jwks',
    'memoryStore',
    'oidc',
    'sharedSecret',
    'skill',
    'toHono',
    'toNext',
  ],
  './node': ['serve', 'toExpress', 'toFastify', 'toNodeListener'],
  './store': [
    'CallShares',
    'PushShares',
    'RoundRobin',
    'appendToTask',
    'boundedPage',
    'bySuspicion',
    'byDueTime',
    'claimedBy',
    'createTask',
    'deletePushConfig',
    'dropTaskForReply',
    'fairnessKeyOf',
    'isOwnedBy',
    'newRecord',
    'notifyWatchers',
    'putPushConfig',
    'receiverOf',
    'removeEnded',
    'removeOwned',
    'rotationOf',
    'statusTime',
    'suspectsOf',
    'visibleTo',
    'withNameChecks',
    'withoutOpenCall',
  ].sort(),
  './sqlite': ['sqlite'],
  './postgres': ['migratePostgres', 'postgres'],
  './webhooks': ['createWebhookHandler', 'memorySeenIds', 'toExpressWebhook'],
  './ai-sdk': [
    'asModel',
    'asTool',
    'durable',
    'durableTools',
    'fromAISDK',
    'idempotencyKeyOf',
    'textOf',
    'toModelMessages',
  ],
  './testing': [
    'fakeClock',
    'fakePeer',
    'record',
    'replay',
    'replayJournals',
    'storeContract',
    'testAgent',
    'waitForState',
  ],
};

test.each(Object.entries(NAMES))('the exports of tandem-a2a%s do not change', async (entry, names) => {
  const exported = await ENTRIES[entry as keyof typeof ENTRIES]();
  expect(Object.keys(exported).sort()).toEqual(names);
});

test('package.json exports exactly the listed entries', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  expect(Object.keys(manifest.exports).filter((entry) => entry !== './package.json')).toEqual(Object.keys(ENTRIES));
});

test('tsconfig.json maps every entry of package.json to its source, so that examples import the package like users', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  const expected = Object.entries(manifest.exports).flatMap(([entry, target]) => {
    if (typeof target === 'string') return [];
    const source = target.types.replace('./dist/', './src/').replace(/\.d\.ts$/, '.ts');
    return [[entry.replace('.', manifest.name), [source]]];
  });
  const config = readFileSync(join(ROOT, 'tsconfig.json'), 'utf8').replaceAll(/^\s*\/\/.*$/gm, '');
  const { compilerOptions } = JSON.parse(config) as { compilerOptions: { paths: Record<string, readonly string[]> } };
  expect(compilerOptions.paths).toEqual(Object.fromEntries(expected));
});
