/**
 * Counts the steps that a backtracking matcher takes for a regular expression on a text. It supports the syntax that the patterns
 * in `src` use. With it, a test can distinguish linear from quadratic patterns without measuring time.
 */

/** One element of a pattern. A `set` matches one character; `source` is its source text. */
export type Node =
  | { readonly kind: 'set'; readonly source: string; readonly has: (char: string) => boolean }
  | { readonly kind: 'edge'; readonly source: string }
  | { readonly kind: 'look'; readonly isBehind: boolean; readonly isNegative: boolean; readonly body: Node }
  | { readonly kind: 'sequence'; readonly items: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  | {
      readonly kind: 'repeat';
      readonly body: Node;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
    };

export class TooManySteps extends Error {}

/** @throws Error for unsupported syntax, such as back references. */
export function parseRegex(regex: RegExp): Node {
  return new Parser(regex).parse();
}

/**
 * The steps of one search through the text or, for a global pattern, of all searches that a replacement makes.
 *
 * @throws TooManySteps above `limit`.
 */
export function countSteps(regex: RegExp, text: string, limit: number, node = parseRegex(regex)): number {
  return new Matcher(regex, text, limit).search(node);
}

class Parser {
  readonly #source: string;
  readonly #flags: string;
  readonly #sets = new Map<string, Node>();
  #at = 0;

  constructor({ source, flags }: RegExp) {
    this.#source = source;
    // Sets are tested on single characters, where these flags have no effect.
    this.#flags = flags.replaceAll(/[gmy]/g, '');
  }

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw this.#unknown();
    return node;
  }

  #choice(): Node {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options };
  }

  #sequence(): Node {
    const items: Node[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      items.push(this.#quantified(this.#atom()));
    }
    return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'sequence', items };
  }

  #atom(): Node {
    if (this.#take('(?:')) return this.#group();
    if (this.#take('(?=')) return this.#look(false, false);
    if (this.#take('(?!')) return this.#look(false, true);
    if (this.#take('(?<=')) return this.#look(true, false);
    if (this.#take('(?<!')) return this.#look(true, true);
    if (this.#source.startsWith('(?', this.#at)) throw this.#unknown();
    if (this.#take('(')) return this.#group();
    const edge = this.#next(/[\^$]|\\[bB]/y);
    if (edge !== undefined) return { kind: 'edge', source: edge };
    if (/\\[1-9k]/y.test(this.#source.slice(this.#at, this.#at + 2))) throw this.#unknown();
    const set = this.#next(/\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u.{4}|\\x..|\\c.|\\.|[^\\]/sy);
    if (set === undefined) throw this.#unknown();
    return this.#set(set);
  }

  #group(): Node {
    const body = this.#choice();
    if (!this.#take(')')) throw this.#unknown();
    return body;
  }

  #look(isBehind: boolean, isNegative: boolean): Node {
    return { kind: 'look', isBehind, isNegative, body: this.#group() };
  }

  #quantified(body: Node): Node {
    const mark = this.#next(/[*+?]|\{\d+(?:,\d*)?\}/y);
    if (mark === undefined) return body;
    const [, low = '', comma, high] = /^\{(\d+)(,?)(\d*)\}$/.exec(mark) ?? [];
    const isCounted = mark.startsWith('{');
    const min = isCounted ? Number(low) : mark === '+' ? 1 : 0;
    const most = comma === '' ? min : high === '' ? Number.POSITIVE_INFINITY : Number(high);
    const max = isCounted ? most : mark === '?' ? 1 : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', body, min, max, isLazy: this.#take('?') };
  }

  #set(source: string): Node {
    const known = this.#sets.get(source);
    if (known !== undefined) return known;
    const regex = new RegExp(`^${source}$`, this.#flags);
    const memory = new Map<string, boolean>();
    const has = (char: string): boolean => {
      let answer = memory.get(char);
      if (answer === undefined) memory.set(char, (answer = regex.test(char)));
      return answer;
    };
    const node: Node = { kind: 'set', source, has };
    this.#sets.set(source, node);
    return node;
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #next(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #unknown(): Error {
    return new Error(`Cannot count the steps of /${this.#source}/: unknown syntax at ${this.#at}`);
  }
}

/** Matches the rest of the pattern at a position. */
type Next = (at: number) => boolean;

class Matcher {
  readonly #text: string;
  readonly #regex: RegExp;
  readonly #limit: number;
  #steps = 0;

  constructor(regex: RegExp, text: string, limit: number) {
    this.#regex = regex;
    this.#text = text;
    this.#limit = limit;
  }

  search(node: Node): number {
    let end = 0;
    for (let start = 0; start <= this.#text.length; start++) {
      const isFound = this.#match(node, start, (at) => {
        end = at;
        return true;
      });
      if (isFound && !this.#regex.global) break;
      if (isFound && end > start) start = end - 1;
    }
    return this.#steps;
  }

  #match(node: Node, at: number, next: Next): boolean {
    this.#count();
    switch (node.kind) {
      case 'set':
        return at < this.#text.length && node.has(this.#text.charAt(at)) && next(at + 1);
      case 'edge':
        return this.#isEdge(node.source, at) && next(at);
      case 'look':
        return this.#sees(node, at) !== node.isNegative && next(at);
      case 'sequence':
        return this.#matchItems(node.items, 0, at, next);
      case 'choice':
        // Not `some()`: the recursion is as deep as the text is long, so each stack frame counts.
        for (const option of node.options) if (this.#match(option, at, next)) return true;
        return false;
      case 'repeat':
        return node.body.kind === 'set' ? this.#matchRun(node, at, next) : this.#matchRepeat(node, 0, at, next);
    }
  }

  #matchItems(items: readonly Node[], index: number, at: number, next: Next): boolean {
    const item = items[index];
    if (item === undefined) return next(at);
    return this.#match(item, at, (end) => this.#matchItems(items, index + 1, end, next));
  }

  /** Matches a quantified set without one stack frame per character. */
  #matchRun({ body, min, max, isLazy }: Node & { kind: 'repeat' }, at: number, next: Next): boolean {
    const fits = (i: number): boolean => {
      this.#count();
      return i < this.#text.length && body.kind === 'set' && body.has(this.#text.charAt(i));
    };
    let end = at;
    if (isLazy) {
      for (; ; end++) {
        if (end - at >= min && next(end)) return true;
        if (end - at >= max || !fits(end)) return false;
      }
    }
    while (end - at < max && fits(end)) end++;
    for (; end - at >= min; end--) {
      this.#count();
      if (next(end)) return true;
    }
    return false;
  }

  #matchRepeat(node: Node & { kind: 'repeat' }, done: number, at: number, next: Next): boolean {
    const isEnough = done >= node.min;
    if (isEnough && node.isLazy && next(at)) return true;
    const again = (end: number): boolean => (end > at || !isEnough) && this.#matchRepeat(node, done + 1, end, next);
    if (done < node.max && this.#match(node.body, at, again)) return true;
    return isEnough && !node.isLazy && next(at);
  }

  #sees({ body, isBehind }: Node & { kind: 'look' }, at: number): boolean {
    if (!isBehind) return this.#match(body, at, () => true);
    if (body.kind !== 'set') throw new Error('Lookbehind is supported for a single character only');
    return at > 0 && body.has(this.#text.charAt(at - 1));
  }

  #isEdge(source: string, at: number): boolean {
    const isMultiline = this.#regex.multiline;
    if (source === '^') return at === 0 || (isMultiline && this.#text[at - 1] === '\n');
    if (source === '$') return at === this.#text.length || (isMultiline && this.#text[at] === '\n');
    const isWordEdge = isWord(this.#text.charAt(at - 1)) !== isWord(this.#text.charAt(at));
    return source === String.raw`\b` ? isWordEdge : !isWordEdge;
  }

  #count(): void {
    if (++this.#steps > this.#limit) throw new TooManySteps(`More than ${this.#limit} steps`);
  }
}

function isWord(char: string): boolean {
  return /^\w$/.test(char);
}
