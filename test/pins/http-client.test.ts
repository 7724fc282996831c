/** All requests to other hosts pass the one HTTP client, which checks addresses, sizes and redirects. */
import { expect, test } from 'vitest';

import { isTestFile, readSources, type Sources } from '../helpers/source.ts';

/** Calls of `fetch`, and `node:` modules that open connections. Imports of types do not load a module. */
const CONNECTS =
  /globalThis\.fetch|(?:\breturn|\bawait|=|\?|:|=>|\() fetch\(|\?\? fetch\b|getBuiltinModule\('node:(?:https?|http2|net|tls)'|^import (?!type).* from 'node:(?:https?|http2|net|tls)'/m;

/** Files that may send requests otherwise, and why. */
const OTHERS: Readonly<Record<string, string>> = {
  'src/server/serverless/self-requests.ts': 'The host may replace `fetch` by a service binding to the agent itself.',
  'src/testing/loopback-server.ts': 'Listens for tests.',
  'src/testing/recording/proxy.ts': 'Forwards requests as they are, so that a recording shows them as they were.',
};

function connecting(sources: Sources): readonly string[] {
  const found = [...sources].filter(([path, text]) => !isTestFile(path) && CONNECTS.test(text)).map(([path]) => path);
  return found.toSorted().filter((path) => !path.startsWith('src/support/http-client/'));
}

test('only the HTTP client sends requests', () => {
  const sources = readSources('src');

  expect(connecting(sources)).toEqual(Object.keys(OTHERS));
});

test.each([
  'const response = await fetch(url);',
  'return (own ?? fetch)(request);',
  'const send = globalThis.fetch;',
  "const http = node.getBuiltinModule('node:https');",
  "import { connect } from 'node:net';",
])('the check for other requests finds %s', (line) => {
  expect(connecting(new Map([['src/host/planted.ts', line]]))).toEqual(['src/host/planted.ts']);
});
