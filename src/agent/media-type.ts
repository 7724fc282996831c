/** A media type or a range of them (`text/*`), in lower case and without parameters. */
export interface MediaRange {
  readonly type: string;
  readonly subtype: string;
}

/** Words that callers send instead of media types: the modes `text` and `data` of early protocol versions, and `*`. */
const WORDS: ReadonlyMap<string, MediaRange> = new Map([
  ['text', { type: 'text', subtype: '*' }],
  ['data', { type: 'application', subtype: 'json' }],
  ['*', { type: '*', subtype: '*' }],
]);

/** RFC 6838 §4.2, which is stricter than what HTTP calls a token: no `*` inside a name. */
const NAME = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/u;

/** Caches parsed types, because every message and every chunk of a stream uses the same few. Bounded, because callers choose them. */
const known = new Map<string, MediaRange | null>();
const MAX_KNOWN = 200;
const MAX_LENGTH = 100;

/** Parses `text/*` or `Text/HTML; charset=utf-8`; undefined if it is not a media type. */
export function parseMediaRange(text: string): MediaRange | undefined {
  const before = known.get(text);
  if (before !== undefined) return before ?? undefined;
  const range = parse(text);
  if (text.length <= MAX_LENGTH) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, range ?? null);
  }
  return range;
}

function parse(text: string): MediaRange | undefined {
  const [essence = ''] = text.split(';', 1);
  const slash = essence.indexOf('/');
  if (slash < 0) return undefined;
  const type = essence.slice(0, slash).trim().toLowerCase();
  const subtype = essence
    .slice(slash + 1)
    .trim()
    .toLowerCase();
  const isFit = type === '*' ? subtype === '*' : NAME.test(type) && (subtype === '*' || NAME.test(subtype));
  return isFit ? { type, subtype } : undefined;
}

/** Like `parseMediaRange`, but also accepts the words that real callers use instead. */
export function readMediaRange(text: string): MediaRange | undefined {
  return parseMediaRange(text) ?? WORDS.get(text.trim().toLowerCase());
}

/** Whether one of the ranges contains the type. An invalid media type is only in the range of all types. */
export function isWithin(mediaType: string, ranges: readonly MediaRange[]): boolean {
  const { type, subtype } = parseMediaRange(mediaType) ?? { type: '', subtype: '' };
  return ranges.some((range) => has(range.type, type) && has(range.subtype, subtype));
}

export function overlap(a: MediaRange, b: MediaRange): boolean {
  return (has(a.type, b.type) || has(b.type, a.type)) && (has(a.subtype, b.subtype) || has(b.subtype, a.subtype));
}

function has(range: string, name: string): boolean {
  return range === '*' || range === name;
}
