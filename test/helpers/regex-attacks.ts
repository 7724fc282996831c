/** Texts on which a pattern takes as many steps as it can, built from the pattern's own beginnings. */
import type { Node } from './regex-steps.ts';

/** A text as a recipe, so that it can be made in any length. */
export interface Attack {
  readonly head: string;
  readonly body: string;
  readonly tail: string;
}

export function textOf({ head, body, tail }: Attack, length: number): string {
  const room = Math.max(0, length - head.length - tail.length);
  return head + body.repeat(Math.max(1, Math.floor(room / body.length))) + tail;
}

/** Characters that classes are tried with, beside those the pattern names itself. */
const COMMON = ['a', '0', 'A', 'f', '-', '_', '.', ' ', '/', ':', '=', '@', '"', '%', '\n', '\t', '\u0001', 'é'];

/** What stands between two beginnings, so that a word boundary or an excluded character lets each of them start a match. */
const BETWEEN = ['', '-', ' ', '.', '/', 'a', '\n'];

/**
 * Three shapes: each repeated element of the pattern at great length, behind what has to precede it and before something
 * that does not fit; the same with its beginning repeated too; and every prefix of what the pattern matches, repeated.
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

/** Every element that may stand more than a few times, and a text that leads to it, with optional elements `times` times. */
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

/** What a repeated element can be made of. */
function piecesOf(node: Node, alphabet: readonly string[]): readonly string[] {
  if (node.kind === 'set') return alphabet.filter((char) => node.has(char)).slice(0, 8);
  return [sampleOf(node, 0, alphabet), sampleOf(node, 1, alphabet)];
}

/** A text that the pattern matches as far as sets decide it; optional elements stand `times` times. */
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

/** The characters that the pattern names, then common ones that one of its sets has, then some that none has. */
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
