import { fileURLToPath } from 'node:url';

import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const given = process.env['TANDEM_LIVE_PEERS'];
if (given === undefined) throw new Error('The live peers are not prepared. Run them with `npm run test:peers`.');
/** Name of a peer → the command that starts its program, from `scripts/live-peers.mjs`. */
const livePeers = JSON.parse(given) as Record<string, string[]>;

/** Tests of `npm test` that run here once more, with the releases of the JavaScript SDK that this folder pins. */
const SDK_TESTS = ['test/peers/sdk-*.test.ts', 'test/peers/client-sdk.test.ts'];

const here = fileURLToPath(import.meta.url);

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Resolves packages as this folder does, some of them under another name. */
function ofThisFolder(nameOf: (source: string) => string | undefined): Plugin {
  return {
    name: 'packages-of-this-folder',
    enforce: 'pre',
    resolveId(source) {
      const name = nameOf(source);
      return name === undefined ? undefined : this.resolve(name, here, { skipSelf: true });
    },
  };
}

const SHARED = {
  setupFiles: ['./test/helpers/leak-check.ts', './test/helpers/fresh-modules.ts', './test/helpers/clear-card-cache.ts'],
  // The process of a peer may need seconds to start on a busy machine.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
};

/** The tests of `tandem-a2a/ai-sdk` with one version of the AI SDK. */
const withAISDK = (version: 'ai-5' | 'ai-7') => ({
  root,
  plugins: [ofThisFolder((source) => (/^ai(\/|$)/.test(source) ? source.replace('ai', version) : undefined))],
  test: { ...SHARED, name: version, include: ['test/peers/live/js/ai-sdk.test.ts'] },
});

export default defineConfig({
  root,
  test: {
    projects: [
      {
        root,
        plugins: [ofThisFolder((source) => (source.startsWith('a2a-sdk-') ? source : undefined))],
        test: {
          ...SHARED,
          name: 'peers',
          // A peer that is not installed has no command, and its tests are not collected.
          include: [
            ...Object.keys(livePeers).map((name) => `test/peers/live/${name}.test.ts`),
            'test/peers/live/frameworks/*.test.ts',
            ...SDK_TESTS,
          ],
          provide: { livePeers },
        },
      },
      withAISDK('ai-5'),
      withAISDK('ai-7'),
    ],
  },
});
