import { configDefaults, defineConfig } from 'vitest/config';

/** The folders of `test/` that are projects of their own, because they are slower or need more than a bare Node. */
const FOLDERS = ['e2e', 'store', 'streams', 'crash', 'cli', 'interop', 'peers', 'frameworks', 'runtimes', 'console'];

/** What a project needs before its first test. */
const SETUPS: Readonly<Record<string, string>> = { cli: './test/cli/install.ts' };

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
        test: { name, include: [`test/${name}/**/*.test.ts`], globalSetup: SETUPS[name] ?? [] },
      })),
    ],
  },
});
