/** Reads the source of this project as text and syntax, for the tests that check its rules. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import posix from 'node:path/posix';
import { fileURLToPath } from 'node:url';

import { Visitor, parseSync } from 'vite';
import type { ESTree } from 'vite';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Path from the root of the repository, with forward slashes → text. */
export type Sources = ReadonlyMap<string, string>;

/** The TypeScript files below the folders, without the fixtures that contain mistakes. */
export function readSources(...folders: readonly string[]): Sources {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      const path = relative(ROOT, join(entry.parentPath, entry.name)).replaceAll(sep, '/');
      if (!entry.isFile() || !path.endsWith('.ts') || /(^|\/)node_modules\/|^test\/helpers\/fixtures\//.test(path))
        continue;
      sources.set(path, readFileSync(join(ROOT, path), 'utf8'));
    }
  }
  return sources;
}

export const isTestFile = (path: string): boolean => path.endsWith('.test.ts');

export interface Import {
  /** The literal specifier; undefined if it is computed at run time. */
  readonly specifier: string | undefined;
  /** `late`: by `import()`, at run time. `type`: removed by the compiler. */
  readonly kind: 'static' | 'type' | 'late';
  readonly line: number;
}

/** All imports and re-exports of a file, in any syntax. */
export function importsOf(path: string, text: string): readonly Import[] {
  const imports: Import[] = [];
  const add = (kind: Import['kind'], source: ESTree.Node | null, at: number): void => {
    if (source !== null) imports.push({ kind, specifier: literal(source), line: lineOf(text, at) });
  };
  const kindOf = (kind: 'type' | 'value'): Import['kind'] => (kind === 'type' ? 'type' : 'static');
  visit(path, text, {
    ImportDeclaration: (node) => add(kindOf(node.importKind ?? 'value'), node.source, node.start),
    ExportAllDeclaration: (node) => add(kindOf(node.exportKind ?? 'value'), node.source, node.start),
    ExportNamedDeclaration: (node) => add(kindOf(node.exportKind ?? 'value'), node.source, node.start),
    TSImportType: (node) => add('type', node.source, node.start),
    ImportExpression: (node) => add('late', node.source, node.start),
    TSExternalModuleReference: (node) => add('static', node.expression, node.start),
  });
  return imports;
}

/** Resolves a relative specifier to a path from the root; undefined for packages and built-in modules. */
export function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined;
}

export function visit(path: string, text: string, visitor: ConstructorParameters<typeof Visitor>[0]): void {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  new Visitor(visitor).visit(program);
}

/** The members of an interface, in their order. */
export function membersOf(path: string, name: string): readonly string[] {
  const members: string[] = [];
  visit(path, readFileSync(join(ROOT, path), 'utf8'), {
    TSInterfaceDeclaration: ({ id, body }) => {
      if (id.name !== name) return;
      for (const member of body.body) {
        if (member.type === 'TSPropertySignature' && member.key.type === 'Identifier') members.push(member.key.name);
      }
    },
  });
  return members;
}

/** The value of a string literal or of a template without expressions. */
export function literal(node: ESTree.Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
