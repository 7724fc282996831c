/** Builds texts on which a pattern takes many steps, from the prefixes of what the pattern matches. */
import type { Node } from './regex-steps.ts';

/** A text of any length: head, repeated body, tail. */
export interface Attack {
  readonly head: string;
  readonly body: string;
  readonly tail: string;
}

export function textOf({ head, body, tail }: Attack, length: number): string {
  const room = Math.max(0, length - head.length - tail.length);
  return head + body.repeat(Math.max(1, Math.floor(room / body.length))) + tail;
}

/** Characters to try for character classes, beside the literals of the pattern. */
const COMMON = ['a', '0', 'A', 'f', '-', '_', '.', ' ', '/', ':', '=', '@', '"', '%', '\n', '\t', '\u0001', 'é'];

/** Separators between repeated prefixes, so that a word boundary or an excluded character lets each prefix start a match. */
const BETWEEN = ['', '-', ' ', '.', '/', 'a', '\n'];

/**
 * Three shapes: each quantified element repeated, after the text that must precede it and before a character that does not match;
 * the same with the preceding text repeated too; and every prefix of a sample match, repeated.
 */
export function attacksOn(node: Node): readonly Attack[] {
  const attacks = new Map<string, Attack>();
  const add = (head: string, body: string, tail: string): void => {
    if (body !== '') attacks.set(JSON.stringify([head, body, tail]), { head, body, tail });
  };
  const alphabet = alphabetOf(node);
  for (const { before, body } of [...repeatsIn(node, '', 0), ...repeatsIn(node, '', 1)]) {
    for (const piece of piecesOf(body, alphabet)) {
      for (const tail of ['', '\u0000', ' ', '\n', ...alphabet.slice(0, 6)]) add(before, piece, tail);
      for (const between of BETWEEN) add('', between + before + piece, '\u0000');
    }
  }
  for (const sample of [sampleOf(node, 0, alphabet), sampleOf(node, 1, alphabet), sampleOf(node, 20, alphabet)]) {
    for (let length = 1; length <= Math.min(sample.length, 40); length++) {
      for (const between of BETWEEN) add('', between + sample.slice(0, length), '\u0000');
    }
  }
  for (const char of alphabet) add('', char, '\u0000');
  return [...attacks.values()];
}

/** Every quantified element, and a text that leads to it in which optional elements occur `times` times. */
function* repeatsIn(node: Node, before: string, times: number): Generator<{ before: string; body: Node }> {
  switch (node.kind) {
    case 'set':
    case 'edge':
      return;
    case 'look':
      yield* repeatsIn(node.body, before, times);
      return;
    case 'choice':
      for (const option of node.options) yield* repeatsIn(option, before, times);
      return;
    case 'sequence': {
      let lead = before;
      for (const item of node.items) {
        yield* repeatsIn(item, lead, times);
        lead += sampleOf(item, times, COMMON);
      }
      return;
    }
    case 'repeat':
      if (node.max > 8) yield { before, body: node.body };
      yield* repeatsIn(node.body, before, times);
  }
}

/** Samples of a quantified element. */
function piecesOf(node: Node, alphabet: readonly string[]): readonly string[] {
  if (node.kind === 'set') return alphabet.filter((char) => node.has(char)).slice(0, 8);
  return [sampleOf(node, 0, alphabet), sampleOf(node, 1, alphabet)];
}

/** A text that the pattern matches, ignoring assertions; optional elements occur `times` times. */
function sampleOf(node: Node, times: number, alphabet: readonly string[]): string {
  switch (node.kind) {
    case 'set':
      return alphabet.find((char) => node.has(char)) ?? '';
    case 'edge':
    case 'look':
      return '';
    case 'choice':
      return sampleOf(node.options[0] ?? { kind: 'edge', source: '' }, times, alphabet);
    case 'sequence':
      return node.items.map((item) => sampleOf(item, times, alphabet)).join('');
    case 'repeat':
      return sampleOf(node.body, times, alphabet).repeat(Math.min(Math.max(node.min, times), node.max));
  }
}

/** Common characters that match one of the pattern's sets, then the literals of the pattern. */
function alphabetOf(node: Node): readonly string[] {
  const named = new Set<string>();
  const sets: (Node & { kind: 'set' })[] = [];
  const walk = (each: Node): void => {
    if (each.kind === 'set') {
      sets.push(each);
      if (each.source.length === 1 && each.source !== '.') named.add(each.source);
      else if (/^\\[^\w]$/.test(each.source)) named.add(each.source.slice(1));
    } else if (each.kind === 'sequence') each.items.forEach(walk);
    else if (each.kind === 'choice') each.options.forEach(walk);
    else if (each.kind === 'look' || each.kind === 'repeat') walk(each.body);
  };
  walk(node);
  const used = COMMON.filter((char) => sets.some((set) => set.has(char)));
  return [...new Set([...used, ...[...named].slice(0, 12)])];
}
