/** The code on pages: compiled, run, and its output compared with what the page shows. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { publicDeclarations } from '../../scripts/text/public-api.ts';
import { readSources } from '../helpers/source.ts';
import { compile, type Diagnostic } from './compile.ts';
import { type Action, actionsOf } from './page.ts';
import { folderFor, ROOT, PageRunner } from './page-runner.ts';
import { commandProblems } from './commands.ts';

const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const unindented = (code: string): string => code.replaceAll(/^[ \t]+/gm, '').trim();
/** Sources whose code pages may repeat. Such code is compiled and run with its source. */
const SOURCES = [...readSources('examples', 'src').values()].map(unindented);
const CONTEXT = publicDeclarations().find(({ name }) => name === 'TaskContext');
const HANDLER = [...new Set(CONTEXT?.members.filter(({ isNested }) => !isNested).map(({ name }) => name))];

/** Whether the code is a part of a source. A complete program is run nevertheless, because code below may call it. */
function isPiece(code: string): boolean {
  const isComplete = /^import .* from 'tandem-a2a/m.test(code) && !/ from '\.{1,2}\//.test(code);
  return !isComplete && SOURCES.some((source) => source.includes(unindented(code)));
}

const actions = new Map<string, readonly Action[]>();
const folders = new Map<string, string>();
let diagnostics: readonly Diagnostic[] = [];

beforeAll(async () => {
  const installed = inject('installed');
  for (const page of PAGES) {
    const found = actionsOf(readFileSync(join(ROOT, page), 'utf8'), HANDLER, isPiece);
    const folder = folderFor(installed, page);
    actions.set(page, found);
    folders.set(page, folder);
    for (const action of found) {
      if (action.kind !== 'program') continue;
      mkdirSync(dirname(join(folder, action.file)), { recursive: true });
      writeFileSync(join(folder, action.file), `${action.source.code}export {};\n`);
    }
  }
  diagnostics = await compile(join(installed, 'pages'));
});

test.each(PAGES)('the code of %s compiles', (page) => {
  const folder = (folders.get(page) ?? '').split('/').at(-1);
  const problems = diagnostics.flatMap(({ file, line, text }) => {
    const action = actions.get(page)?.find((one) => one.kind === 'program' && `${folder}/${one.file}` === file);
    if (action?.kind !== 'program') return [];
    return [`${page}:${action.source.lines[line - 1] ?? action.line} ${text}`];
  });
  expect(problems.join('\n')).toBe('');
});

test.concurrent.each(PAGES)('the code of %s runs, and its output is as on the page', async (page) => {
  const session = new PageRunner(folders.get(page) ?? '', join(inject('installed'), 'bin'));
  const problems: string[] = [];
  for (const action of actions.get(page) ?? []) {
    if (!action.isRun) continue;
    const run =
      action.kind === 'program'
        ? session.runProgram(action.file, action.expected)
        : session.runShell(action.command, action.expected);
    await run.catch((error: Error) => problems.push(`${page}:${action.line} ${error.message}`));
  }
  await session.end();
  expect(problems.join('\n')).toBe('');
});

test.each(PAGES)('the commands and options on %s exist', async (page) => {
  const problems: string[] = [];
  for (const action of actions.get(page) ?? []) {
    if (action.kind !== 'shell') continue;
    for (const problem of await commandProblems(action.command)) problems.push(`${page}:${action.line} ${problem}`);
  }
  expect(problems).toEqual([]);
});
