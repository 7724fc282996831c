import { A2AError, type FieldViolation } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { defined } from '../support/defined.ts';
import { newId } from '../support/id.ts';

/** Something that was read although it is not what the protocol says. */
export interface Warning {
  /** Stable name of the deviation, e.g. `part-type-tag`. */
  readonly code: string;
  readonly field: string;
  readonly description: string;
}

/**
 * Places where a profile may offer the official form of an object that does not have it. Dialects name the place,
 * profiles fill it; neither knows the other.
 */
export type Seam = 'sendParams' | 'taskParams' | 'message' | 'part' | 'file' | 'artifactEvent' | 'task';

/** Turns one known deviation into the official form of the same object; `undefined` if it is something else. */
export interface Repair {
  readonly code: string;
  readonly seam: Seam;
  /** What should have been there ("the member kind"), and what was read in its stead. */
  readonly expected: string;
  readonly instead: string;
  apply(json: JsonObject, r: Reader): JsonObject | undefined;
}

export interface ReadLimits {
  /** How deep objects and arrays may lie inside each other. */
  readonly maxDepth: number;
  readonly maxItems: number;
  /** Characters in one string. */
  readonly maxString: number;
}

/** Frozen: every reader that was given no others reads by this very object. */
export const DEFAULT_LIMITS: ReadLimits = Object.freeze({
  maxDepth: 64,
  maxItems: 10_000,
  maxString: 16 * 1024 * 1024,
});

/** Who reads within limits of his own gives the same object each time, and a spread costs as much as a small message. */
const known = new WeakMap<Partial<ReadLimits>, ReadLimits>();

function completed(limits: Partial<ReadLimits>): ReadLimits {
  let whole = known.get(limits);
  if (whole === undefined) known.set(limits, (whole = { ...DEFAULT_LIMITS, ...defined(limits) }));
  return whole;
}

export interface ReadOptions {
  /** Refuse what is not official instead of reading it with a warning. */
  readonly strict?: boolean;
  readonly limits?: Partial<ReadLimits>;
  readonly repairs?: readonly Repair[];
  /** Where generated ids come from when a peer left one out. */
  readonly newId?: () => string;
}

/** Who wrote what we read: a caller whose mistakes are refused, or a server whose small mistakes are borne. */
export type ReadRole = 'request' | 'response';

const MAX_VIOLATIONS = 20;
const MAX_WARNINGS = 100;
const MAX_NAME = 64;

/** Characters of JSON that the unknown members of a message and its parts may have together. */
const MAX_UNKNOWN = 16 * 1024;

/**
 * The state of one decoding pass: where we are, what was wrong, what was odd. Codecs write violations here and go on with
 * a placeholder, so that a caller learns of several mistakes at once; `finish` throws if there were any.
 */
export class Reader {
  readonly role: ReadRole;
  readonly strict: boolean;
  readonly limits: ReadLimits;
  readonly newId: () => string;
  /**
   * The path to the value being read; only the first `depth` entries count. A stack instead of strings costs the usual
   * case, in which nothing is wrong, nothing.
   */
  readonly path: (string | number)[] = [];
  depth = 0;
  /** Characters that are left for unknown members. A request has one message, so this is the limit of a message. */
  unknownRoom = MAX_UNKNOWN;
  readonly #repairs: readonly Repair[];
  #violations: FieldViolation[] = [];
  #warnings: Warning[] = [];

  constructor(role: ReadRole, options: ReadOptions = {}) {
    this.role = role;
    this.strict = options.strict ?? false;
    this.limits = options.limits === undefined ? DEFAULT_LIMITS : completed(options.limits);
    this.newId = options.newId ?? newId;
    this.#repairs = options.repairs ?? [];
  }

  get warnings(): readonly Warning[] {
    return this.#warnings;
  }

  /** Notes that what stands here is not `expected` ("a string"). */
  violate(expected: string, key?: string | number): void {
    if (this.#violations.length >= MAX_VIOLATIONS) return;
    this.#violations.push({ field: this.#field(key), description: `expected ${expected}` });
  }

  warn(code: string, description: string, key?: string | number): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push({ code, field: this.#field(key), description });
  }

  /** For what is read only out of kindness: a warning, or in strict mode a violation. */
  tolerate(code: string, expected: string, key?: string | number): void {
    if (this.strict) this.violate(expected, key);
    else this.warn(code, `expected ${expected}`, key);
  }

  /** Runs `read` one step further down the path. */
  at<T>(key: string | number, read: () => T): T {
    this.path[this.depth++] = key;
    const value = read();
    this.depth--;
    return value;
  }

  /**
   * The official form of a deviating object, if profiles know it; else `undefined`. What was noted about the object since
   * `mark` is forgotten, for it will be read again, and a warning for each deviation takes its place.
   */
  repair(seam: Seam, json: JsonObject, mark: ReaderMark = this.mark()): JsonObject | undefined {
    if (this.strict) return undefined;
    const applied: Repair[] = [];
    let official = json;
    for (const repair of this.#repairs) {
      const next = repair.seam === seam ? repair.apply(official, this) : undefined;
      if (next === undefined) continue;
      official = next;
      applied.push(repair);
    }
    if (applied.length === 0) return undefined;
    this.#violations.length = mark.violations;
    this.#warnings.length = mark.warnings;
    this.unknownRoom = mark.unknownRoom;
    for (const { code, expected, instead } of applied) this.warn(code, `expected ${expected}; ${instead}`);
    return official;
  }

  /**
   * For strict reading of an object that is official but for members which the protocol ignores and profiles act upon.
   * To ignore them would be to misunderstand their sender, so they are refused.
   */
  refuse(seam: Seam, json: JsonObject): void {
    if (!this.strict) return;
    for (const repair of this.#repairs) {
      if (repair.seam === seam && repair.apply(json, this) !== undefined) this.violate(repair.expected);
    }
  }

  mark(): ReaderMark {
    return {
      violations: this.#violations.length,
      warnings: this.#warnings.length,
      unknownRoom: this.unknownRoom,
    };
  }

  failedSince(mark: ReaderMark): boolean {
    return this.#violations.length > mark.violations;
  }

  /** Ends the pass: throws one error that names every violation, or returns. */
  finish(): void {
    const first = this.#violations[0];
    if (first === undefined) return;
    const code = this.role === 'request' ? 'INVALID_PARAMS' : 'INVALID_AGENT_RESPONSE';
    const more = this.#violations.length > 1 ? ` (and ${this.#violations.length - 1} more)` : '';
    const where = first.field === '' ? '' : `${first.field}: `;
    throw new A2AError(code, `${where}${first.description}${more}`, { violations: this.#violations });
  }

  #field(key: string | number | undefined): string {
    const keys = this.path.slice(0, this.depth);
    if (key !== undefined) keys.push(key);
    return keys.reduce<string>((path, k) => {
      if (typeof k === 'number') return `${path}[${k}]`;
      // Names come from the sender, and a path is told again for each mistake.
      const name = k.length > MAX_NAME ? `${k.slice(0, MAX_NAME)}…` : k;
      return path === '' ? name : `${path}.${name}`;
    }, '');
  }
}

/** How much had been noted at a certain moment. */
export interface ReaderMark {
  readonly violations: number;
  readonly warnings: number;
  readonly unknownRoom: number;
}
