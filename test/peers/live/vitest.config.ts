import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitest/config';

const given = process.env['TANDEM_LIVE_PEERS'];
if (given === undefined) throw new Error('The live peers are not prepared. Run them with `npm run test:peers`.');
/** Name of a peer → the command that starts its program, from `scripts/live-peers.mjs`. */
const livePeers = JSON.parse(given) as Record<string, string[]>;

/** Tests of `npm test` that run here once more, with the releases of the JavaScript SDK that this folder pins. */
const SDK_TESTS = ['test/peers/sdk-*.test.ts', 'test/peers/client-sdk.test.ts'];

const here = fileURLToPath(import.meta.url);

export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  plugins: [
    {
      name: 'sdk-of-this-folder',
      enforce: 'pre',
      resolveId(source) {
        return source.startsWith('a2a-sdk-') ? this.resolve(source, here, { skipSelf: true }) : undefined;
      },
    },
  ],
  test: {
    // A peer that is not installed has no command, and its tests are not collected.
    include: [...Object.keys(livePeers).map((name) => `test/peers/live/${name}.test.ts`), ...SDK_TESTS],
    provide: { livePeers },
    setupFiles: [
      './test/helpers/leak-check.ts',
      './test/helpers/fresh-modules.ts',
      './test/helpers/clear-card-cache.ts',
    ],
    // The process of a peer may need seconds to start on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
