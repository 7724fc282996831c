/**
 * Finds the public API in the sources: the exports of every entry of `package.json`, and the declarations that their
 * signatures mention. The API page and the API checks use it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import posix from 'node:path/posix';

import { parseSync } from 'vite';
import type { ESTree } from 'vite';

import { lineOf } from '../../test/helpers/source.ts';
import { ROOT } from './root.ts';

type Node = ESTree.Node;
type Comment = ReturnType<typeof parseSync>['comments'][number];

/** A member of a class, an interface or an object type. */
export interface Member {
  readonly name: string;
  readonly line: number;
  /** The source without its body and its comments. */
  readonly signature: string;
  /** Whether it belongs to an object type in another member. */
  readonly isNested: boolean;
  /** The text of its JSDoc comment without the asterisks. */
  readonly doc: Doc | undefined;
}

export interface Doc {
  readonly text: string;
  /** Line of the file in which the comment starts. */
  readonly line: number;
}

export interface Declaration {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly kind: 'function' | 'class' | 'interface' | 'type' | 'const';
  readonly signature: string;
  readonly doc: Doc | undefined;
  readonly members: readonly Member[];
  /** Names of the types that it extends or implements. */
  readonly bases: readonly string[];
  /** Names of everything its signature mentions. */
  readonly mentions: readonly string[];
}

export interface Entry {
  /** The name that users import: `tandem-a2a/server`. */
  readonly name: string;
  readonly path: string;
  /** Exported name → declarations; a function with overloads has several. */
  readonly exports: ReadonlyMap<string, readonly Declaration[]>;
}

interface Module {
  readonly declarations: Map<string, Declaration[]>;
  readonly exports: Map<string, Target>;
  readonly imports: Map<string, Target>;
}

interface Target {
  /** Undefined means the module itself. */
  readonly path: string | undefined;
  readonly name: string;
}

const modules = new Map<string, Module>();

/** Every entry of `package.json`, in its order. */
export function publicEntries(): readonly Entry[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.entries(manifest.exports).flatMap(([key, entry]) => {
    if (typeof entry === 'string') return [];
    const path = entry.types.replace(/^\.\/dist\//, 'src/').replace(/\.d\.ts$/, '.ts');
    const names = [...moduleAt(path).exports.keys()];
    const exports = new Map(names.map((name) => [name, resolve(path, name)]));
    return [{ name: posix.join(manifest.name, key), path, exports }];
  });
}

/** The exports of all entries, and the declarations of this package that they lead to, each once. */
export function publicDeclarations(entries: readonly Entry[] = publicEntries()): readonly Declaration[] {
  const found = new Set<Declaration>();
  const queue = entries.flatMap(({ exports }) => [...exports.values()].flat());
  for (const declaration of queue) {
    if (found.has(declaration)) continue;
    found.add(declaration);
    for (const name of declaration.mentions) queue.push(...resolveLocal(declaration.path, name));
  }
  return [...found];
}

/** Returns the declarations of a name that another declaration mentions. Empty if the name is not from this package. */
export function resolveLocal(path: string, name: string): readonly Declaration[] {
  const module = moduleAt(path);
  const own = module.declarations.get(name);
  if (own !== undefined) return own;
  const imported = module.imports.get(name);
  return imported?.path === undefined ? [] : resolve(imported.path, imported.name);
}

function resolve(path: string, name: string): readonly Declaration[] {
  const target = moduleAt(path).exports.get(name);
  if (target === undefined) return [];
  return target.path === undefined ? resolveLocal(path, target.name) : resolve(target.path, target.name);
}

function moduleAt(path: string): Module {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const module = readModule(path, readFileSync(join(ROOT, path), 'utf8'));
  modules.set(path, module);
  return module;
}

function readModule(path: string, text: string): Module {
  const { program, comments } = parseSync(path, text);
  const module: Module = { declarations: new Map(), exports: new Map(), imports: new Map() };
  const at = (source: string): string | undefined =>
    source.startsWith('.') ? posix.join(posix.dirname(path), source) : undefined;
  const source: Source = { path, text, comments };

  const declare = (node: Node, outer: Node): readonly string[] =>
    declarationsIn(source, node, outer).map((declaration) => {
      const same = module.declarations.get(declaration.name) ?? [];
      module.declarations.set(declaration.name, [...same, declaration]);
      return declaration.name;
    });

  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') {
      for (const one of node.specifiers) {
        if (one.type !== 'ImportSpecifier') continue;
        module.imports.set(one.local.name, { path: at(node.source.value), name: nameOf(one.imported) });
      }
    } else if (node.type === 'ExportAllDeclaration') {
      const from = at(node.source.value);
      if (from === undefined) continue;
      for (const name of moduleAt(from).exports.keys()) module.exports.set(name, { path: from, name });
    } else if (node.type === 'ExportNamedDeclaration') {
      if (node.declaration !== null) {
        for (const name of declare(node.declaration, node)) module.exports.set(name, { path: undefined, name });
      }
      const from = node.source === null ? undefined : at(node.source.value);
      for (const one of node.specifiers) {
        module.exports.set(nameOf(one.exported), { path: from, name: nameOf(one.local) });
      }
    } else {
      declare(node, node);
    }
  }
  return module;
}

interface Source {
  readonly path: string;
  readonly text: string;
  readonly comments: readonly Comment[];
}

function declarationsIn(source: Source, node: Node, outer: Node): readonly Declaration[] {
  const make = (name: string, kind: Declaration['kind'], bases: readonly Node[] = []): Declaration => ({
    path: source.path,
    line: lineOf(source.text, outer.start),
    name,
    kind,
    signature: signatureOf(source, node),
    doc: docBefore(source, outer.start),
    members: membersIn(source, node),
    bases: bases.flatMap((base) => (base.type === 'Identifier' ? [base.name] : [])),
    mentions: mentionsIn(source, node),
  });
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return node.id === null ? [] : [make(node.id.name, 'function')];
    case 'ClassDeclaration':
      return node.id === null
        ? []
        : [
            make(node.id.name, 'class', [
              ...(node.superClass === null ? [] : [node.superClass]),
              ...(node.implements ?? []).map(({ expression }) => expression),
            ]),
          ];
    case 'TSInterfaceDeclaration':
      return [
        make(
          node.id.name,
          'interface',
          node.extends.map(({ expression }) => expression),
        ),
      ];
    case 'TSTypeAliasDeclaration':
      return [make(node.id.name, 'type')];
    case 'VariableDeclaration':
      return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [make(id.name, 'const')] : []));
    default:
      return [];
  }
}

/** The members that users see, including those of nested object types. */
function membersIn(source: Source, declaration: Node): readonly Member[] {
  const members: Member[] = [];
  const patterns: Node[] = [];
  let outerEnd = 0;
  walk(source, declaration, (node) => {
    // The pattern of a conditional type is not a type that users see.
    if (node.type === 'TSConditionalType') patterns.push(node.extendsType);
    if (!isMember(node) || patterns.some(({ start, end }) => start <= node.start && node.end <= end)) return;
    const name = node.computed ? undefined : keyName(node.key);
    if (name === undefined) return;
    const doc = docBefore(source, node.start);
    const isNested = node.start < outerEnd;
    if (!isNested) outerEnd = node.end;
    members.push({ name, line: lineOf(source.text, node.start), signature: signatureOf(source, node), isNested, doc });
  });
  return members;
}

type MemberNode = Extract<Node, { type: (typeof MEMBERS)[number] }>;

const MEMBERS = [
  'TSPropertySignature',
  'TSMethodSignature',
  'MethodDefinition',
  'PropertyDefinition',
  'TSAbstractMethodDefinition',
  'TSAbstractPropertyDefinition',
] as const;

function isMember(node: Node): node is MemberNode {
  return (MEMBERS as readonly string[]).includes(node.type);
}

/** Whether users do not see it. Functions of this package create its classes, so their constructors count as hidden. */
function isHidden(source: Source, node: MemberNode): boolean {
  if (node.key.type === 'PrivateIdentifier') return true;
  if (node.type === 'MethodDefinition' && node.kind === 'constructor') return true;
  if ('accessibility' in node && (node.accessibility === 'private' || node.accessibility === 'protected')) return true;
  return docBefore(source, node.start)?.text.includes('@internal') ?? false;
}

/** Type names, and names of values in `typeof`, in the part of a declaration that others see. */
function mentionsIn(source: Source, declaration: Node): readonly string[] {
  const names = new Set<string>();
  walk(source, declaration, (node) => {
    if (node.type === 'TSTypeReference' && node.typeName.type === 'Identifier') names.add(node.typeName.name);
    if (node.type === 'TSTypeQuery' && node.exprName.type === 'Identifier') names.add(node.exprName.name);
    if (node.type === 'TSInterfaceHeritage' || node.type === 'TSClassImplements') {
      if (node.expression.type === 'Identifier') names.add(node.expression.name);
    }
    if (node.type === 'ClassDeclaration' && node.superClass?.type === 'Identifier') names.add(node.superClass.name);
  });
  return [...names];
}

/** Visits a declaration without the bodies of functions, initial values and hidden members. */
function walk(source: Source, node: Node, see: (node: Node) => void): void {
  see(node);
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    if (key === 'body' && isFunction(node)) continue;
    if (key === 'value' && node.type === 'PropertyDefinition') continue;
    if (key === 'init' || key === 'superClass') continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child)) continue;
      if (isMember(child) && isHidden(source, child)) continue;
      walk(source, child, see);
    }
  }
}

function isFunction(node: Node): boolean {
  return ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function nameOf(node: Node): string {
  return node.type === 'Identifier' ? node.name : String((node as { readonly value?: unknown }).value);
}

function keyName(key: Node): string | undefined {
  return key.type === 'Identifier' || key.type === 'Literal' ? nameOf(key) : undefined;
}

function signatureOf({ text, comments }: Source, node: Node): string {
  let end = node.end;
  const body = bodyOf(node);
  if (body !== undefined) end = body.start;
  let signature = '';
  let at = node.start;
  for (const comment of comments) {
    if (comment.start < node.start || comment.end > end) continue;
    signature += text.slice(at, comment.start);
    at = comment.end;
  }
  signature += text.slice(at, end);
  return signature.replaceAll(/\s+/g, ' ').replace(/[;,]?\s*$/, '');
}

function bodyOf(node: Node): Node | undefined {
  if (node.type === 'FunctionDeclaration') return node.body ?? undefined;
  if (node.type === 'MethodDefinition') return node.value.body ?? undefined;
  if (node.type === 'PropertyDefinition') return node.value ?? undefined;
  if (node.type === 'ClassDeclaration') return node.body;
  return undefined;
}

/** The JSDoc comment that ends directly before this position. */
function docBefore({ text, comments }: Source, start: number): Doc | undefined {
  const comment = comments.findLast(({ end }) => end <= start);
  if (comment === undefined || comment.type !== 'Block' || !comment.value.startsWith('*')) return undefined;
  if (text.slice(comment.end, start).trim() !== '') return undefined;
  const lines = comment.value.slice(1).split('\n');
  return {
    text: lines.map((line, at) => (at === 0 ? line : line.replace(/^\s*\* ?/, ''))).join('\n'),
    line: lineOf(text, comment.start),
  };
}
