/** The check of pages accepts a correct page, and finds each kind of mistake. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { commandProblems } from './commands.ts';
import { compile } from './compile.ts';
import { actionsOf, fencesOf } from './page.ts';
import { folderFor, PageRunner } from './page-runner.ts';

const code = (language: string, text: string): string => `\n\`\`\`${language}\n${text}\n\`\`\`\n`;
const SERVER = `import { serve } from 'tandem-a2a/node';
import { agent } from 'tandem-a2a/server';

const greeter = agent({ name: 'Greeter', description: 'Greets.', run: ({ text }) => \`Hello, \${text}!\` });
const server = await serve(greeter);
console.log(server.url);`;
const CURL = `curl -s http://127.0.0.1:4100/message:send -H 'content-type: application/json' \\
  -d '{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"Ada"}]}}' | grep -o 'Hello[^"]*'`;
const CLIENT = `const greeter = await connect('http://127.0.0.1:4100');
console.log(await greeter.ask('Bob')); // => Hello, Bob!
await greeter.close();`;

const PAGE = [
  '# A page',
  code('ts', SERVER),
  `<!-- output -->${code('', 'http://127.0.0.1:4100')}`,
  'Call it:',
  code('sh', CURL),
  `<!-- output -->${code('', 'Hello, …!')}`,
  `<!-- setup\nimport { connect } from 'tandem-a2a';\n-->${code('ts', CLIENT)}`,
  `<!-- snippet: continues -->${code('ts', "console.log('over'); // => over")}`,
  `<!-- snippet: file clerk.ts -->${code('ts', SERVER.replace(/const server[^]*/, 'export default greeter;'))}`,
  `<!-- snippet: handler -->${code('ts', "const isWanted = await ask({ confirm: `Book ${text}?` });\nyield isWanted ? 'Booked' : 'No';")}`,
  `<!-- snippet: compile only, because it needs a key -->${code('ts', "throw new Error('not run');")}`,
  `<!-- snippet: run -->${code('sh', 'npx tandem-a2a serve clerk.ts')}`,
  code('sh', 'npx tandem-a2a send http://localhost:4100 Eve'),
  `<!-- output -->${code('', 'Hello, Eve!')}`,
].join('\n');

/** The problems of a page. */
async function check(page: string): Promise<string> {
  const folder = folderFor(inject('installed'), `a page ${Math.random()}`);
  const actions = actionsOf(page, ['text', 'ask', 'step', 'sleep'], () => false);
  for (const action of actions) {
    if (action.kind === 'program') writeFileSync(join(folder, action.file), `${action.source.code}export {};\n`);
  }
  const problems = (await compile(folder)).map(({ file, line, text }) => {
    const action = actions.find((one) => one.kind === 'program' && one.file === file);
    return `${action?.kind === 'program' ? action.source.lines[line - 1] : ''} ${text}`;
  });
  const session = new PageRunner(folder, join(inject('installed'), 'bin'));
  onTestFinished(() => session.end());
  for (const action of actions.filter(({ isRun }) => isRun)) {
    const { expected } = action;
    const run =
      action.kind === 'program'
        ? session.runProgram(action.file, expected)
        : session.runShell(action.command, expected);
    await run.catch((error: Error) => problems.push(error.message));
  }
  return problems.join('\n');
}

test('the page check accepts a correct page', async () => {
  expect(await check(PAGE)).toBe('');
});

/** Mistakes, each with the reported problem. All are on one page, because compiling takes a second. */
const MISTAKES: readonly (readonly [page: string, problem: RegExp])[] = [
  [code('ts', "\nconst a: number = 'b';\nconsole.log(a);"), /^4 error TS2322/m],
  [code('ts', "throw new Error('oh');"), /ended with 1[^]*Error: oh/],
  [`${code('ts', "console.log('a');")}<!-- output -->${code('', 'b')}`, /its output is\na/],
  [code('ts', "console.log('a'); // => c"), /"c" is not in its output/],
  [`<!-- snippet: handler -->${code('ts', "yield 'a';\nthrow new Error(text);")}`, /The task failed/],
  [`${code('sh', 'npx tandem-a2a send http://127.0.0.1:1 a')}<!-- output -->${code('', '')}`, /ended with 3/],
];

test('the page check finds every kind of mistake', async () => {
  const problems = await check(MISTAKES.map(([page]) => page).join('\n'));
  for (const [, problem] of MISTAKES) expect(problems).toMatch(problem);
});

test.each([
  ['<!-- snippet: unknown -->\n```ts\n```', /is not a marker/],
  ['<!-- snippet: compile only -->\n```ts\n```', /is not a marker/],
  ['<!-- output -->\nWords', /not followed by code/],
])('the page check rejects the marker of %j', (page, problem) => {
  expect(() => fencesOf(page)).toThrow(problem);
});

test('the page check finds unknown commands and options', async () => {
  expect(await commandProblems('npx tandem-a2a send clerk hello --task-id 1 -o json\ntandem card get x')).toEqual([]);
  expect(await commandProblems('npx tandem-a2a sned x && tandem send x --fro y')).toEqual([
    'tandem sned x: there is no such command',
    'tandem send x --fro y: --fro is not an option',
  ]);
});
