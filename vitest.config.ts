import { configDefaults, defineConfig } from 'vitest/config';

/** The folders of `test/` that are projects of their own, because they are slower or need more than a bare Node. */
const FOLDERS = [
  'e2e',
  'store',
  'streams',
  'crash',
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

/** Tests from elsewhere that a project runs once more, on what it has brought. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  // Where the store has a say: who runs what, when, and what others see of it.
  postgres: [
    'test/engine/{cancel,cancel-nodes,clocks,follow-ups,idempotency,lost-hints,provisional,push-configs}.test.ts',
    'test/engine/{outbox-fairness,outbox-nodes}.test.ts',
    'test/engine/{questions-order,questions-restart,recovery,recovery-close,recovery-store,replay}.test.ts',
    'test/engine/{several-nodes,sleep,steps,streams,tasks,timeout}.test.ts',
  ],
};

/** A database is as quick as the machine lets it be, and no test is about that. */
const TIMEOUTS: Readonly<Record<string, number>> = { postgres: 60_000 };

export default defineConfig({
  test: {
    setupFiles: ['./test/helpers/leak-check.ts'],
    projects: [
      // Everything else, wherever it is, so that no test file can be overlooked.
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'dist/**', ...FOLDERS.map((folder) => `test/${folder}/**`)],
        },
      },
      // A folder without tests is an empty project; the first file in it runs without a word here.
      ...FOLDERS.map((name) => ({
        extends: true as const,
        test: {
          name,
          include: [`test/${name}/**/*.test.ts`, ...(MORE[name] ?? [])],
          globalSetup: SETUPS[name] ?? [],
          testTimeout: TIMEOUTS[name] ?? 5000,
        },
      })),
    ],
  },
});
