/**
 * Collects the texts that users see at run time: errors, log events, option checks, CLI output. A text is a string of the
 * sources with more than one word, or one that is passed to an error or to the log.
 */
import { parseSync } from 'vite';
import type { ESTree } from 'vite';

import { isTestFile, lineOf } from '../../test/helpers/source.ts';
import { readSourcesIn } from './sources.ts';

type Node = ESTree.Node;

export interface Message {
  readonly path: string;
  readonly line: number;
  /** Its use: `A2AError INVALID_PARAMS`, `TypeError`, `log warn`; `text` if it is only part of a message. */
  readonly use: string;
  /** The text, with interpolated values as `{name}`. */
  readonly text: string;
}

/** A log call whose text is not the same each time. */
export interface UnstableLog {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** SQL, HTTP headers, media types and code are not texts, although they contain spaces. */
const NOT_PROSE = [
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|DROP|ALTER|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA|SET|SHOW|LOCK|FROM|WHERE|AND|OR|ON|ORDER|LIMIT|UNION|VALUES|LISTEN|UNLISTEN|JOIN|LEFT|RETURNING|EXPLAIN|VACUUM|FOR UPDATE|EXISTS|CASE|LATERAL|NOT EXISTS|COALESCE)\b/,
  /\b(?:IS NOT NULL|IS NULL|ORDER BY|GROUP BY|ON CONFLICT|AS MATERIALIZED|WHERE \w+|RETURNING \w+|SELECT \w+)\b/,
  /^[\w-]+=[\w-]+(?:; [\w-]+=?[\w-]*)*$/,
  /^(?:no-store|private, |public, |max-age)/,
  /^(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|USE)(?:, [A-Z]+)+$/,
  /^[a-z]+\/[a-z0-9.+-]+(?:;|, )/,
];

/** Every text of `src`, in the order of the files. */
export function messages(): readonly Message[] {
  return sources().flatMap(([path, text]) => messagesIn(path, text));
}

export function messagesIn(path: string, text: string): readonly Message[] {
  const found: Message[] = [];
  collect(parseSync(path, text).program, [], (node, parents) => {
    const shown = textOf(node);
    if (shown === undefined) return;
    const use = useOf(node, parents);
    const isProse = /\p{L}{2,}[,:;]? +[\p{L}{‹(]/u.test(shown.replaceAll(/\{[^}]*\}/g, 'x'));
    if (use === 'code' || (!isProse && use === 'text')) return;
    // In the SQL stores, texts for users start with a capital. All other strings are parts of statements or their
    // names.
    if (use === 'text' && /^src\/store\/(?:postgres|sqlite)\//.test(path) && !/^[A-Z][a-z]+ /.test(shown)) return;
    if (!/\p{L}{3,}/u.test(shown) || NOT_PROSE.some((pattern) => pattern.test(shown))) return;
    found.push({ path, line: lineOf(text, node.start), use, text: oneLine(shown) });
  });
  return found;
}

/** Log calls whose text has interpolated values or comes from a variable that is not a constant. */
export function unstableLogs(): readonly UnstableLog[] {
  return sources().flatMap(([path, text]) => {
    const unstable: UnstableLog[] = [];
    collectAll(parseSync(path, text).program, (node) => {
      if (node.type !== 'CallExpression' || logLevel(node) === undefined) return;
      const [event] = node.arguments;
      if (event === undefined || isStable(event)) return;
      unstable.push({ path, line: lineOf(text, event.start), text: oneLine(text.slice(event.start, event.end)) });
    });
    return unstable;
  });
}

function isStable(node: Node): boolean {
  if (node.type === 'Literal') return true;
  if (node.type === 'TemplateLiteral') return node.expressions.length === 0;
  if (node.type === 'ConditionalExpression') return isStable(node.consequent) && isStable(node.alternate);
  return node.type === 'Identifier' && /^[A-Z][A-Z_]+$/.test(node.name);
}

function sources(): readonly (readonly [string, string])[] {
  return readSourcesIn('src').filter(([path]) => !isTestFile(path));
}

/** Visits each text once, the outermost expression first: a template with its values, a sum with its parts. */
function collect(node: Node, parents: readonly Node[], see: (node: Node, parents: readonly Node[]) => void): void {
  if (isSkipped(node, parents.at(-1))) return;
  if (isText(node)) see(node, parents);
  const inner = isText(node) ? expressionsIn(node) : childrenOf(node);
  for (const child of inner) collect(child, [...parents, node], see);
}

function collectAll(node: Node, see: (node: Node) => void): void {
  see(node);
  for (const child of childrenOf(node)) collectAll(child, see);
}

function isText(node: Node): boolean {
  if (node.type === 'Literal') return typeof node.value === 'string';
  if (node.type === 'BinaryExpression') return node.operator === '+' && (isText(node.left) || isText(node.right));
  return node.type === 'TemplateLiteral';
}

/**
 * Calls inside of a text, which can contain further texts. Names and conditional texts are shown in the text itself.
 */
function expressionsIn(node: Node): readonly Node[] {
  if (node.type === 'TemplateLiteral') return node.expressions.filter((one) => textChoices(one) === undefined);
  if (node.type === 'BinaryExpression') {
    return [node.left, node.right].flatMap((side) => (isText(side) ? expressionsIn(side) : [side]));
  }
  return [];
}

function isSkipped(node: Node, parent: Node | undefined): boolean {
  if (node.type === 'ImportDeclaration' || node.type === 'TaggedTemplateExpression') return true;
  if (node.type.startsWith('TS') && !/^TS(?:As|NonNull|Satisfies)/.test(node.type)) return true;
  if (node.type === 'ImportExpression' || node.type === 'ExportAllDeclaration') return true;
  if (parent?.type === 'BinaryExpression' && parent.operator !== '+') return true;
  if (parent?.type === 'SwitchCase' && parent.test === node) return true;
  return parent?.type === 'Property' && parent.key === node && !parent.computed;
}

function useOf(text: Node, parents: readonly Node[]): string {
  let inner = text;
  for (const node of parents.toReversed()) {
    if (node.type === 'NewExpression' && node.callee.type === 'Identifier' && node.callee.name.endsWith('Error')) {
      const [first] = node.arguments;
      const isDirect = node.arguments.slice(0, 2).includes(inner as never);
      if (!isDirect) return 'text';
      const code = first !== inner && first?.type === 'Literal' ? ` ${String(first.value)}` : '';
      return first === inner && /^A2A|^Cli/.test(node.callee.name) ? 'code' : `${node.callee.name}${code}`;
    }
    if (node.type === 'CallExpression') {
      const level = logLevel(node);
      return level !== undefined && node.arguments[0] === inner ? `log ${level}` : 'text';
    }
    if (
      !['ConditionalExpression', 'LogicalExpression', 'TSAsExpression', 'ParenthesizedExpression'].includes(node.type)
    ) {
      return 'text';
    }
    inner = node;
  }
  return 'text';
}

/** The level, if this is a log call. */
function logLevel({ callee }: Extract<Node, { type: 'CallExpression' }>): string | undefined {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return undefined;
  const { name } = callee.property;
  if (!['info', 'warn', 'error'].includes(name)) return undefined;
  const holder = callee.object.type === 'MemberExpression' ? callee.object.property : callee.object;
  if (holder.type !== 'Identifier' && holder.type !== 'PrivateIdentifier') return undefined;
  return /^(?:log|\w+Log)$/.test(holder.name) ? name : undefined;
}

/** The text with its values named, or undefined if it is not a text. */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'BinaryExpression') {
    if (!isText(node)) return undefined;
    return [node.left, node.right].map((side) => textOf(side) ?? placeholder(side)).join('');
  }
  if (node.type !== 'TemplateLiteral') return undefined;
  return node.quasis.map(({ value }, at) => (value.cooked ?? '') + placeholderAt(node.expressions[at])).join('');
}

function placeholderAt(node: Node | undefined): string {
  return node === undefined ? '' : placeholder(node);
}

function placeholder(node: Node): string {
  const choices = textChoices(node);
  return choices === undefined ? `{${nameOf(node)}}` : `{${choices.join('|')}}`;
}

/** The alternative texts of a conditional expression, if it only chooses between texts. */
function textChoices(node: Node): readonly string[] | undefined {
  if (node.type === 'Literal') return [String(node.value)];
  if (node.type === 'TemplateLiteral') return [textOf(node) ?? ''];
  if (node.type !== 'ConditionalExpression') return undefined;
  const sides = [textChoices(node.consequent), textChoices(node.alternate)];
  if (sides.every((side) => side === undefined)) return undefined;
  return sides.flatMap((side, at) => side ?? [`{${nameOf(at === 0 ? node.consequent : node.alternate)}}`]);
}

/** The most descriptive name in an expression. */
function nameOf(node: Node): string {
  switch (node.type) {
    case 'Identifier':
    case 'PrivateIdentifier':
      return node.name;
    case 'MemberExpression':
      return node.property.type === 'Literal' ? String(node.property.value) : nameOf(node.property);
    case 'CallExpression': {
      const [first] = node.arguments;
      const isMethodOfValue = node.callee.type === 'MemberExpression' && node.callee.object.type !== 'Identifier';
      if (
        isMethodOfValue ||
        (node.callee.type === 'MemberExpression' && /^(?:join|toString|toISOString|trim)$/.test(nameOf(node.callee)))
      )
        return nameOf((node.callee as Extract<Node, { type: 'MemberExpression' }>).object);
      return first === undefined || first.type === 'SpreadElement' || first.type.includes('Function')
        ? nameOf(node.callee)
        : nameOf(first);
    }
    case 'BinaryExpression':
    case 'LogicalExpression':
      return node.left.type === 'Literal' ? nameOf(node.right) : nameOf(node.left);
    case 'ConditionalExpression':
      return nameOf(node.consequent);
    case 'ChainExpression':
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
      return nameOf(node.expression);
    case 'AwaitExpression':
    case 'UnaryExpression':
      return nameOf(node.argument);
    default:
      return '…';
  }
}

function childrenOf(node: Node): readonly Node[] {
  return (Object.entries(node) as [string, unknown][]).flatMap(([, value]) =>
    (Array.isArray(value) ? (value as unknown[]) : [value]).filter(
      (child): child is Node => typeof child === 'object' && child !== null && 'type' in child && 'start' in child,
    ),
  );
}

function oneLine(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ⏎ ')
    .replaceAll(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** The page on which all texts can be reviewed together. */
export function messagesPage(all: readonly Message[] = messages()): string {
  const sections = [...new Set(all.map(({ path }) => path))].map((path) => {
    const lines = all
      .filter((one) => one.path === path)
      .map(({ use, text }) => `- ${use === 'text' ? '' : `${use}: `}${text}`);
    return `## ${path}\n${[...new Set(lines)].join('\n')}\n`;
  });
  return `${HEAD}\n${sections.join('\n')}`;
}

const HEAD = `# Texts that users see at run time

Generated by \`npm run text\` and checked by \`messages.test.ts\`. Holes are \`{name}\`; \`⏎\` is a line break. Lines without a label are parts of a text, or CLI output.
`;
