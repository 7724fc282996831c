/** Reads the code of a page: its fences with the markers before them. The markers are explained in docs/development.md. */

export interface Fence {
  /** The line of the page in which the code starts. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  readonly marker: Marker;
  /** Hidden code to run before it. */
  readonly setup: string;
}

export type Marker =
  | { readonly kind: 'program' | 'continues' | 'handler' | 'run' | 'output' }
  | { readonly kind: 'file'; readonly name: string }
  | { readonly kind: 'compile only'; readonly reason: string };

const TOKENS =
  /^<!--(?<comment>[^]*?)-->|^(?<indent> *)(?<ticks>`{3,})(?<language>\w*)[^\n]*\n(?<code>[^]*?)^\k<indent>\k<ticks> *$/gm;
const PROGRAM: Marker = { kind: 'program' };

export function fencesOf(page: string): readonly Fence[] {
  const fences: Fence[] = [];
  let marker = PROGRAM;
  let setup = '';
  let open: string | undefined;
  let end = 0;
  for (const { 0: whole, index, groups = {} } of page.matchAll(TOKENS)) {
    if (page.slice(end, index).trim() !== '') {
      if (open !== undefined) throw new Error(`<!--${open}--> is not followed by code`);
      marker = PROGRAM;
      setup = '';
    }
    end = index + whole.length;
    const { comment, indent = '', language = '', code } = groups;
    if (comment !== undefined) {
      const isSetup = /^ ?setup\n/.test(comment);
      const found = isSetup ? undefined : markerOf(comment.trim());
      if (isSetup) setup += comment.replace(/^ ?setup\n/, '');
      if (found !== undefined) marker = found;
      if (isSetup || found !== undefined) open = comment;
      continue;
    }
    open = undefined;
    const line = page.slice(0, index).split('\n').length + 1;
    const plain = (code ?? '').replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    fences.push({ line, language, code: plain, marker, setup });
    marker = PROGRAM;
    setup = '';
  }
  if (open !== undefined) throw new Error(`<!--${open}--> is not followed by code`);
  return fences;
}

function markerOf(comment: string): Marker | undefined {
  if (comment === 'output') return { kind: 'output' };
  if (!comment.startsWith('snippet:')) return undefined;
  const text = comment.slice('snippet:'.length).trim();
  const [, name] = /^file (\S+)$/.exec(text) ?? [];
  if (name !== undefined) return { kind: 'file', name };
  const [, reason] = /^compile only, because (.+)$/.exec(text) ?? [];
  if (reason !== undefined) return { kind: 'compile only', reason };
  if (text === 'continues' || text === 'handler' || text === 'run') return { kind: text };
  throw new Error(`<!-- ${comment} --> is not a marker: see "Code on pages" in docs/development.md`);
}

/** The actions of a page, in order. */
export type Action =
  | {
      readonly kind: 'program';
      readonly line: number;
      readonly file: string;
      readonly source: Source;
      readonly isRun: boolean;
      readonly expected: Expected;
    }
  | {
      readonly kind: 'shell';
      readonly line: number;
      readonly command: string;
      readonly isRun: boolean;
      readonly expected: Expected;
    };

export interface Source {
  readonly code: string;
  /** Line of the program, from 0 → line of the page. */
  readonly lines: readonly number[];
}

export interface Expected {
  /** Expected lines of stdout, in this order, from comments `// => text`. */
  readonly shown: readonly string[];
  /** The whole expected stdout. */
  readonly whole: string | undefined;
}

const SCRIPTS = ['ts', 'js', 'typescript', 'javascript', 'mjs', 'mts'];
const SHELLS = ['sh', 'bash', 'shell'];

/** `handlerMembers` are in scope in snippets that are parts of a handler. `isPiece`: whether an example or the source has this code. */
export function actionsOf(
  page: string,
  handlerMembers: readonly string[],
  isPiece: (code: string) => boolean,
): readonly Action[] {
  const actions: Action[] = [];
  for (const fence of fencesOf(page)) {
    const { line, language, code, marker } = fence;
    const last = actions.at(-1);
    if (marker.kind === 'output') {
      if (last === undefined) throw new Error(`line ${line}: no code before this output`);
      actions[actions.length - 1] = { ...last, isRun: true, expected: { ...last.expected, whole: code } };
    } else if (SHELLS.includes(language)) {
      const expected = { shown: [], whole: undefined };
      actions.push({ kind: 'shell', line, command: code, isRun: marker.kind === 'run', expected });
    } else if (SCRIPTS.includes(language)) {
      if (marker.kind === 'program' && isPiece(code)) continue;
      const program = programOf(fence, handlerMembers);
      if (marker.kind !== 'continues') {
        const name = `snippet-${line}.${/^(?:ts|typescript|mts)$/.test(language) ? 'ts' : 'js'}`;
        const isRun = marker.kind !== 'compile only' && marker.kind !== 'file';
        const file = marker.kind === 'file' ? marker.name : name;
        actions.push({ kind: 'program', line, file, source: program, isRun, expected: expectedIn(code) });
        continue;
      }
      if (last?.kind !== 'program') throw new Error(`line ${line}: no code before it to continue`);
      const source = joined(last.source, program);
      actions[actions.length - 1] = { ...last, source, expected: expectedIn(source.code) };
    }
  }
  return actions;
}

function expectedIn(code: string): Expected {
  return { shown: [...code.matchAll(/\/\/ => (.*)$/gm)].map(([, text = '']) => text.trim()), whole: undefined };
}

function programOf({ line, code, marker, setup }: Fence, handlerMembers: readonly string[]): Source {
  const hidden = sourceOf(setup, line, true);
  const shown = sourceOf(code, line);
  if (marker.kind !== 'handler') return joined(hidden, shown);
  const head = [
    "import { agent as agentOfPage } from 'tandem-a2a/server';",
    "import { connect as connectToPage } from 'tandem-a2a';",
  ];
  const before = [
    'const pageAgent = agentOfPage({',
    "  name: 'Page', description: 'Runs the code of a page.',",
    `  async *run(ctx) { const { ${handlerMembers.join(', ')} } = ctx; {`,
  ];
  const after = ['} } });', ...CALL];
  return [hidden, sourceOf(before.join('\n'), line, true), shown, sourceOf(after.join('\n'), line, true)].reduce(
    joined,
    sourceOf(head.join('\n'), line, true),
  );
}

/** Asks the agent of a page, answers its questions, and ends with an error if the task fails. Long sleeps are not awaited. */
const CALL = [
  'const pageClient = await connectToPage(pageAgent);',
  'const pageSend = (text: string, taskId?: string) =>',
  '  pageClient.send(text, { timeoutMs: 3000, ...(taskId !== undefined && { taskId }) }).catch((error: { code?: string }) => {',
  "    if (error.code === 'TIMEOUT') process.exit(0);",
  '    throw error;',
  '  });',
  "let pageReply = await pageSend('Rome');",
  "for (let i = 0; i < 5 && pageReply.state === 'input-required'; i++) pageReply = await pageSend('yes', pageReply.task?.id);",
  "if (pageReply.state === 'failed') throw new Error(`The task failed: ${pageReply.text}`);",
  'process.exit(0);',
];

function sourceOf(code: string, line: number, isHidden = false): Source {
  const text = code.replace(/\n$/, '');
  if (text === '') return { code: '', lines: [] };
  return { code: `${text}\n`, lines: text.split('\n').map((_, at) => (isHidden ? line - 1 : line + at)) };
}

function joined(one: Source, two: Source): Source {
  return { code: one.code + two.code, lines: [...one.lines, ...two.lines] };
}
