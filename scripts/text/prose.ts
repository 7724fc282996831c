/** Splits texts for people into sentences, each with its line in the file. Code and quotes are masked. */

/** A self-contained text: a paragraph, a list item, a cell, a heading, a message, a comment. */
export interface Passage {
  readonly file: string;
  readonly kind: 'text' | 'heading' | 'cell' | 'header-cell' | 'message';
  /** The original text on one line. */
  readonly text: string;
  /** Offset in `text` → line of the file. */
  readonly lineAt: (offset: number) => number;
}

export interface Sentence {
  readonly file: string;
  readonly line: number;
  readonly kind: Passage['kind'];
  readonly text: string;
  /** Of the same length as `text`, with code, addresses and quotes as X. */
  readonly masked: string;
}

/** The passages of a Markdown file, without fenced code and comments. */
export function markdownPassages(file: string, source: string): readonly Passage[] {
  const passages: Passage[] = [];
  let open: [line: number, text: string][] = [];
  const close = (): void => {
    if (open.length > 0) passages.push(passage(file, 'text', open));
    open = [];
  };
  let fence = '';
  const lines = blankComments(source).split('\n');
  for (const [at, line] of lines.entries()) {
    const number = at + 1;
    const [, mark = ''] = /^\s*(?:>\s*)?(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== '') {
      if (mark.startsWith(fence)) fence = '';
      continue;
    }
    if (mark !== '') {
      close();
      fence = mark;
    } else if (line.trim() === '') {
      close();
    } else if (/^#{1,6} /.test(line)) {
      close();
      passages.push(passage(file, 'heading', [[number, line.replace(/^#+ /, '')]]));
    } else if (line.startsWith('|')) {
      close();
      if (/^[|\s:-]+$/.test(line)) continue;
      const kind = /^\|[|\s:-]+$/.test(lines[at + 1] ?? '') ? 'header-cell' : 'cell';
      for (const cell of line.split(/(?<!\\)\|/).slice(1, -1)) {
        if (cell.trim() !== '') passages.push(passage(file, kind, [[number, cell]]));
      }
    } else {
      const item = /^\s*(?:>\s?)?(?:[-*+]|\d+\.)\s+/.exec(line);
      if (item !== null) close();
      open.push([number, line.slice(item?.[0].length ?? 0).replace(/^\s*>\s?/, '')]);
    }
  }
  close();
  return passages;
}

/** The text of a JSDoc comment, without its examples. */
export function docPassages(file: string, text: string, line: number): readonly Passage[] {
  const plain = text
    .replaceAll(/\{@link(?:code)? ([^}|]+)(?:\|[^}]*)?\}/g, '`$1`')
    .replaceAll(/@example[^]*?(?=\n@|$)/g, (example) => example.replaceAll(/[^\n]/g, ''))
    .replaceAll(/^@(?:param|returns|throws|default|deprecated|remarks|see|template)\b/gm, '\n')
    .split('\n');
  // The line breaks added before tags do not exist in the file.
  let added = 0;
  const tagged = text
    .split('\n')
    .map((one) => /^@(?:param|returns|throws|default|deprecated|remarks|see|template)\b/.test(one));
  const passages = markdownPassages(file, plain.join('\n'));
  const real: number[] = [];
  for (const isTag of tagged) {
    real.push(real.length - added);
    if (isTag) {
      real.push(real.length - added - 1);
      added += 1;
    }
  }
  return passages.map((one) => ({
    ...one,
    lineAt: (offset) => line + (real[one.lineAt(offset) - 1] ?? 0),
  }));
}

/** A text on one line. */
export function linePassage(file: string, kind: Passage['kind'], line: number, text: string): Passage {
  return passage(file, kind, [[line, text]]);
}

export function sentencesOf(one: Passage): readonly Sentence[] {
  const masked = mask(one.text);
  const sentences: Sentence[] = [];
  let start = 0;
  const add = (end: number): void => {
    const lead = /^[\s*_([]*/.exec(masked.slice(start, end))?.[0].length ?? 0;
    const from = start + lead;
    if (from < end) {
      const text = one.text.slice(from, end).trimEnd();
      sentences.push({
        file: one.file,
        kind: one.kind,
        line: one.lineAt(from),
        text,
        masked: masked.slice(from, from + text.length),
      });
    }
    start = end;
  };
  for (const { index, 0: found } of masked.matchAll(/[.!?]['")\]*_]*\s+(?=['"([*_]*[A-Z])/g)) {
    if (!/\b(?:e\.g|i\.e|etc|vs|cf|approx)\.\s$/i.test(masked.slice(0, index + found.length)))
      add(index + found.length);
  }
  add(masked.length);
  return sentences;
}

function mask(text: string): string {
  const hide = (found: string): string => 'X'.repeat(found.length);
  return text
    .replaceAll(/(`+)(?!`)[^]*?[^`]\1(?!`)/g, hide)
    .replaceAll(/\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)/g, (found) => `]${hide(found.slice(1))}`)
    .replaceAll(/<[a-z/][^>]*>/g, hide)
    .replaceAll(/\bhttps?:\/\/[^\s)]+/g, hide)
    .replaceAll(/"[^"]*"|“[^”]*”/g, hide)
    .replaceAll(/\{[^{}\s]*\}/g, hide);
}

function blankComments(source: string): string {
  return source.replaceAll(/^<!--[^]*?-->/gm, (comment) => comment.replaceAll(/[^\n]/g, ''));
}

function passage(file: string, kind: Passage['kind'], lines: readonly (readonly [number, string])[]): Passage {
  let text = '';
  const starts = lines.map(([line, piece]) => {
    if (text !== '') text += ' ';
    const start = text.length;
    text += piece.trim();
    return [start, line] as const;
  });
  return { file, kind, text, lineAt: (offset) => starts.findLast(([start]) => start <= offset)?.[1] ?? 1 };
}
