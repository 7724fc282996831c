import { expect, test } from 'vitest';

/** What users import by name; a name that goes, or comes, is a decision. */
const ENTRIES = {
  '.': () => import('../../src/index.ts'),
  './server': () => import('../../src/server/index.ts'),
  './node': () => import('../../src/node/index.ts'),
  './sqlite': () => import('../../src/store/sqlite/store.ts'),
  './postgres': () => import('../../src/store/postgres/index.ts'),
  './webhooks': () => import('../../src/webhooks/index.ts'),
  './testing': () => import('../../src/testing/index.ts'),
};

const NAMES = {
  '.': ['A2AError', 'connect', 'inspectCard', 'tryDiscover'],
  './server': [
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
    'toHono',
    'toNext',
  ],
  './node': ['serve', 'toExpress', 'toFastify', 'toNodeListener'],
  './sqlite': ['sqlite'],
  './postgres': ['migratePostgres', 'postgres'],
  './webhooks': ['createWebhookHandler', 'memorySeenIds', 'toExpressWebhook'],
  './testing': ['fakeClock', 'fakePeer', 'record', 'replay', 'storeContract', 'waitForState'],
};

test.each(Object.entries(NAMES))('tandem-a2a%s exports what it did', async (entry, names) => {
  const exported = await ENTRIES[entry as keyof typeof ENTRIES]();
  expect(Object.keys(exported).sort()).toEqual(names);
});

test('package.json names the entries, and no others', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  expect(Object.keys(manifest.exports).filter((entry) => entry !== './package.json')).toEqual(Object.keys(ENTRIES));
});
