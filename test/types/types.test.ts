/** Programs of users compile against the declarations of the package, with plain `strict` and with old and new compilers. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { compile, OPTIONS } from '../docs/compile.ts';
import { ROOT } from '../helpers/source.ts';

/** Further compilers, by their folders: `npm run test:long` adds some. */
const COMPILERS = ['typescript-5.4', 'typescript', ...(process.env['TANDEM_COMPILERS']?.split(',') ?? [])];

/** Their packages are installed by `npm run test:peers`, which compiles them. */
const WITHOUT_PACKAGES = ['examples/langgraph', 'examples/openai-agents'];

const PROGRAMS = ['handlers', 'calls', 'expect-type'].map((name) => `test/types/${name}.ts`);

test('there are 60 handlers and calls', () => {
  const [handlers = '', calls = ''] = PROGRAMS.map((path) => readFileSync(join(ROOT, path), 'utf8'));
  const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  expect(count(handlers, /\b(?:agent|skill)\(\{/g) + count(calls, /^ {2}async \(\) =>/gm)).toBeGreaterThanOrEqual(60);
});

test.each(COMPILERS)('handlers, calls and examples compile with %s', { timeout: 120_000 }, async (compiler) => {
  const folder = mkdtempSync(join(inject('installed'), 'users-'));
  for (const path of PROGRAMS) cpSync(join(ROOT, path), join(folder, path));
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
  expect(await compile(folder, OPTIONS, WITHOUT_PACKAGES, compiler)).toEqual([]);
});

test.each(COMPILERS)(
  'the error for a mistake in a question names the mistake with %s',
  { timeout: 120_000 },
  async (compiler) => {
    const folder = mkdtempSync(join(inject('installed'), 'questions-'));
    const mistakes = {
      "{ choose: 'Size?', option: ['S'] }": "'option' does not exist in type",
      "{ conform: 'Sure?' }": "'conform' does not exist in type",
      "{ form: 'Who?', fields: { name: { type: 'strng' } } }": `Type '"strng"' is not assignable`,
      "{ form: 'Who?', fields: { name: { type: 'string' } }, required: ['nam'] }": `Type '"nam"' is not assignable`,
      "'How many?', { shema: { type: 'integer' } }": "Did you mean to write 'schema'?",
      "'How many?', { schema: { type: 'integr' } }": `Type '"integr"' is not assignable`,
      "{ confirm: 'Sure?' }, { timeout: 1000 }": "Did you mean to write 'timeoutMs'?",
    };
    const lines = Object.keys(mistakes).map((args) => `await ask(${args});`);
    const program = [
      "import type { TaskContext } from 'tandem-a2a/server';",
      'export async function run({ ask }: TaskContext) {',
    ];
    writeFileSync(join(folder, 'mistakes.ts'), [...program, ...lines, '}'].join('\n'));

    const diagnostics = await compile(folder, OPTIONS, [], compiler);
    expect(diagnostics.map(({ line }) => line)).toEqual(lines.map((_, i) => i + 3));
    for (const [i, expected] of Object.values(mistakes).entries()) expect(diagnostics[i]?.text).toContain(expected);
  },
);

test.each(COMPILERS)('the declarations of every entry are valid for %s', { timeout: 120_000 }, async (compiler) => {
  const installed = inject('installed');
  const folder = mkdtempSync(join(installed, 'entries-'));
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: object };
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json');
  expect(entries.length).toBeGreaterThan(5);
  const imports = entries.map((entry, i) => `export * as e${i} from '${entry.replace(/^\./, 'tandem-a2a')}';`);
  writeFileSync(join(folder, 'entries.ts'), imports.join('\n'));
  const diagnostics = await compile(folder, { ...OPTIONS, skipLibCheck: false }, [], compiler);
  // Packages that the declarations mention may need a newer compiler.
  expect(diagnostics.filter(({ file }) => !file.includes('node_modules'))).toEqual([]);
  expect(readdirSync(join(installed, 'dist')).length).toBeGreaterThan(0);
});
