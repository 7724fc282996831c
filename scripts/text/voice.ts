/** Checks every text that people read against the rules of voice: pages, messages, comments and test titles. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Visitor, parseSync } from 'vite';

import { lineOf } from '../../test/helpers/source.ts';
import { messages } from './messages.ts';
import { docPassages, linePassage, markdownPassages, sentencesOf } from './prose.ts';
import type { Passage } from './prose.ts';
import { ROOT } from './root.ts';
import { ALLOWED } from './voice-allowed.ts';
import { VOICE_RULES } from './voice-rules.ts';

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly hint: string;
  readonly found: string;
  readonly sentence: string;
}

const SOURCE_FOLDERS = ['src', 'test', 'examples', 'bench', 'scripts'];
/** Calls whose first argument is the title of a test or of a group of tests. */
const TITLED = /^(?:test|it|describe|suite)(?:\.|$|\()/;
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md'];

/** The sentences that break a rule, and the entries of the allow-list without an effect. */
export function violationsIn(passages: readonly Passage[]): {
  readonly violations: readonly Violation[];
  readonly unused: readonly string[];
} {
  const used = new Set<unknown>();
  const violations = passages.flatMap(sentencesOf).flatMap((sentence) =>
    VOICE_RULES.flatMap(({ name, hint, find }): Violation[] => {
      const found = find(sentence);
      if (found === undefined) return [];
      const allowed = ALLOWED.filter(({ rule, text }) => rule === name && sentence.text.includes(text));
      for (const one of allowed) used.add(one);
      const { file, line, text } = sentence;
      return allowed.length > 0 ? [] : [{ file, line, rule: name, hint, found, sentence: text }];
    }),
  );
  return { violations, unused: ALLOWED.filter((one) => !used.has(one)).map(({ rule, text }) => `${rule}: ${text}`) };
}

/** All texts that people read. */
export function allPassages(): readonly Passage[] {
  return [...pages(), ...texts(), ...sources()];
}

function pages(): readonly Passage[] {
  const below = (folder: string, extension: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith(extension) && !path.includes('node_modules'))
      .map((path) => `${folder}/${path}`)
      // Generated from comments, which are checked in their source files.
      .filter((path) => path !== 'docs/api.md')
      .sort();
  return [...PAGES, ...below('docs', '.md'), ...below('examples', '.md')].flatMap((path) =>
    markdownPassages(path, readFileSync(join(ROOT, path), 'utf8')),
  );
}

/** The texts of the program itself. */
function texts(): readonly Passage[] {
  return messages().map(({ path, line, text }) => linePassage(path, 'message', line, text.replaceAll(' ⏎ ', ' ')));
}

/** The comments of every source file, the titles of tests, and the texts of examples. */
function sources(): readonly Passage[] {
  return SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      .filter(
        (path) => /\.[mc]?[jt]s$/.test(path) && !/\/(?:node_modules|fixtures\/peers)\/|^bench\/results\//.test(path),
      )
      // These files break the rules to test the check.
      .filter((path) => path !== 'test/pins/voice.test.ts' && path !== 'scripts/text/voice-rules.ts')
      .sort()
      .flatMap((path) => sourcePassages(path, readFileSync(join(ROOT, path), 'utf8'))),
  );
}

/** The comments of a source file, the titles of its tests, and the texts of an example. */
export function sourcePassages(file: string, source: string): readonly Passage[] {
  const { program, comments } = parseSync(file, source);
  const passages: Passage[] = [];
  let open: { readonly line: number; last: number; text: string } | undefined;
  const close = (): void => {
    if (open !== undefined) passages.push(...docPassages(file, open.text, open.line));
    open = undefined;
  };
  for (const { type, value, start } of comments) {
    const line = lineOf(source, start);
    if (type === 'Block') {
      close();
      passages.push(...docPassages(file, value.replace(/^\*/, '').replaceAll(/^\s*\* ?/gm, ''), line));
    } else if (/^\s*(?:@ts-|oxlint-|\/|#region)/.test(value)) {
      close();
    } else if (open !== undefined && open.last === line - 1) {
      open.text += `\n${value.trim()}`;
      open.last = line;
    } else {
      close();
      open = { line, last: line, text: value.trim() };
    }
  }
  close();
  const add = (kind: Passage['kind'], start: number, text: string): void => {
    if (/\w \w/.test(text)) passages.push(linePassage(file, kind, lineOf(source, start), text));
  };
  const isExample = file.startsWith('examples/');
  new Visitor({
    CallExpression: ({ callee, arguments: given }) => {
      const name = source.slice(callee.start, callee.end);
      // Titles of tests for requirements come after the ids of the requirements.
      const title = name === 'verifies' ? given.at(-1) : given[0];
      if (isExample || title === undefined || (name !== 'verifies' && !TITLED.test(name))) return;
      if (title.type === 'Literal' && typeof title.value === 'string') add('text', title.start, title.value);
      if (title.type === 'TemplateLiteral') add('text', title.start, textOf(title.quasis));
    },
    Literal: ({ value, start }) => {
      if (isExample && typeof value === 'string') add('message', start, value);
    },
    TemplateLiteral: ({ quasis, start }) => {
      if (isExample) add('message', start, textOf(quasis));
    },
  }).visit(program);
  return passages;
}

function textOf(quasis: readonly { readonly value: { readonly cooked: string | null } }[]): string {
  return quasis.map((one) => one.value.cooked ?? '').join('{…}');
}
