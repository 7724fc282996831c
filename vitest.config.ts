import { availableParallelism } from 'node:os';

import { configDefaults, defineConfig } from 'vitest/config';

/** The folders of `test/` that are projects of their own, because they are slower or need more than a bare Node. */
const FOLDERS = [
  'e2e',
  'store',
  'streams',
  'simulation',
  'crash',
  'attacks',
  'cli',
  'interop',
  'peers',
  'frameworks',
  'runtimes',
  'postgres',
  'console',
];

/** What a project needs before its first test. */
const SETUPS: Readonly<Record<string, string>> = {
  cli: './test/cli/install.ts',
  postgres: './test/postgres/install.ts',
};

/** Tests of other folders that a project runs again with its own setup. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  // The code of pages, programs of users and the package itself need the build of this project.
  cli: ['test/docs/**/*.test.ts', 'test/types/**/*.test.ts'],
  // Behaviours that depend on the store: which node runs a task, when, and what other nodes see.
  postgres: [
    'test/engine/{cancel,cancel-nodes,clock-skew,follow-ups,idempotency,lost-hints,provisional,purge,push-configs}.test.ts',
    'test/engine/{calls,calls-remote,calls-scale}.test.ts',
    'test/engine/outbox-nodes.test.ts',
    'test/engine/{questions-restart,questions-several,recovery,recovery-close,recovery-store,replay}.test.ts',
    'test/engine/{fairness,several-nodes,sleep,step-outputs,step-outputs-changes,step-outputs-retries,steps,streams,suspects,tasks,timeout,transitions}.test.ts',
  ],
};

/**
 * Projects whose files each have a process of their own: they measure its memory, count what it has loaded, or kill what
 * they have started. All others share processes, because to start one and to import the sources again takes longer than
 * most files run; `leak-check.ts` fails a file that leaves something changed for the next.
 */
const ALONE = new Set(['streams', 'crash', 'attacks', 'cli', 'runtimes', 'postgres']);

/** Those whose files connect to servers by address. */
const CONNECTING = new Set(['e2e', 'peers', 'frameworks']);

export default defineConfig({
  test: {
    setupFiles: ['./test/helpers/leak-check.ts', './test/helpers/fresh-modules.ts'],
    isolate: false,
    // A hang is found as well after a minute, and a busy machine or database is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // By default one core is left to the runner, which has next to nothing to do while tests run.
    maxWorkers: availableParallelism(),
    projects: [
      // Everything else, wherever it is, so that no test file can be overlooked.
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            'dist/**',
            ...[...FOLDERS, 'docs', 'types'].map((folder) => `test/${folder}/**`),
          ],
        },
      },
      // A folder without tests is an empty project; the first file in it runs without a word here.
      ...FOLDERS.map((name) => ({
        extends: true as const,
        test: {
          name,
          include: [`test/${name}/**/*.test.ts`, ...(MORE[name] ?? [])],
          // Live peers need packages that `npm ci` does not install; `npm run test:peers` installs and runs them.
          exclude: [...configDefaults.exclude, 'test/peers/live/**'],
          globalSetup: SETUPS[name] ?? [],
          isolate: ALONE.has(name),
          setupFiles: CONNECTING.has(name) ? ['./test/helpers/clear-card-cache.ts'] : [],
        },
      })),
    ],
  },
});
