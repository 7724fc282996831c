import { A2AError, type FieldViolation } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { defined } from '../support/defined.ts';
import { newId } from '../support/id.ts';

/** A deviation from the protocol that was tolerated. */
export interface Warning {
  /** Stable name of the deviation, e.g. `part-type-tag`. */
  readonly code: string;
  /** Path of the deviating value, for example `message.parts[0]`. Empty for the whole value. */
  readonly field: string;
  /** Human-readable description of the deviation. */
  readonly description: string;
}

/**
 * Points at which a profile can convert a deviating object into the official format. Dialects name the point and profiles
 * provide the repair; neither depends on the other.
 */
export type RepairPoint = 'sendParams' | 'taskParams' | 'message' | 'part' | 'file' | 'artifactEvent' | 'task';

/** Converts one known deviation into the official format. `apply` returns `undefined` if it does not match. */
export interface Repair {
  readonly code: string;
  readonly point: RepairPoint;
  /** The expected content ("the member kind"), and how the object was decoded instead. */
  readonly expected: string;
  readonly instead: string;
  apply(json: JsonObject, d: Decoder): JsonObject | undefined;
}

export interface DecodeLimits {
  /** Maximum nesting of objects and arrays. */
  readonly maxDepth: number;
  readonly maxItems: number;
  /** Maximum number of characters in one string. */
  readonly maxString: number;
}

/** Frozen, because all decoders without custom limits share it. */
export const DEFAULT_LIMITS: DecodeLimits = Object.freeze({
  maxDepth: 64,
  maxItems: 10_000,
  maxString: 16 * 1024 * 1024,
});

/** Cached, because callers pass the same object each time and a spread costs as much as decoding a small message. */
const known = new WeakMap<Partial<DecodeLimits>, DecodeLimits>();

function completed(limits: Partial<DecodeLimits>): DecodeLimits {
  let whole = known.get(limits);
  if (whole === undefined) known.set(limits, (whole = { ...DEFAULT_LIMITS, ...defined(limits) }));
  return whole;
}

export interface DecodeOptions {
  /** Reject deviations instead of decoding them with a warning. Default: false. */
  readonly strict?: boolean;
  readonly limits?: Partial<DecodeLimits>;
  readonly repairs?: readonly Repair[];
  /** Generates an id if a peer omits it. */
  readonly newId?: () => string;
}

/** Whether a request or a response is decoded. Errors in requests are rejected, minor ones in responses are tolerated. */
export type DecodeRole = 'request' | 'response';

const MAX_VIOLATIONS = 20;
const MAX_WARNINGS = 100;
const MAX_NAME = 64;

/** Maximum size of all unknown members of a message and its parts, in characters of JSON. */
const MAX_UNKNOWN = 16 * 1024;

/**
 * The state of one decoding pass: current path, violations and warnings. Codecs add violations and continue with a
 * placeholder, so that the caller gets all violations at once. `finish` throws if there are any.
 */
export class Decoder {
  readonly role: DecodeRole;
  readonly strict: boolean;
  readonly limits: DecodeLimits;
  readonly newId: () => string;
  /**
   * The path to the current value; only the first `depth` entries count. A stack instead of strings costs nothing in the
   * usual case without violations.
   */
  readonly path: (string | number)[] = [];
  depth = 0;
  /** Remaining characters for unknown members. A request has one message, so this is the limit per message. */
  unknownRoom = MAX_UNKNOWN;
  readonly #repairs: readonly Repair[];
  #violations: FieldViolation[] = [];
  #warnings: Warning[] = [];

  constructor(role: DecodeRole, options: DecodeOptions = {}) {
    this.role = role;
    this.strict = options.strict ?? false;
    this.limits = options.limits === undefined ? DEFAULT_LIMITS : completed(options.limits);
    this.newId = options.newId ?? newId;
    this.#repairs = options.repairs ?? [];
  }

  get warnings(): readonly Warning[] {
    return this.#warnings;
  }

  /** Adds a violation: the current value is not `expected` ("a string"). */
  violate(expected: string, key?: string | number): void {
    if (this.#violations.length >= MAX_VIOLATIONS) return;
    this.#violations.push({ field: this.#field(key), description: `expected ${expected}` });
  }

  warn(code: string, description: string, key?: string | number): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push({ code, field: this.#field(key), description });
  }

  /** Adds a warning for a tolerated deviation, or a violation in strict mode. */
  tolerate(code: string, expected: string, key?: string | number): void {
    if (this.strict) this.violate(expected, key);
    else this.warn(code, `expected ${expected}`, key);
  }

  /** Runs `read` one level deeper in the path. */
  at<T>(key: string | number, read: () => T): T {
    this.path[this.depth++] = key;
    const value = read();
    this.depth--;
    return value;
  }

  /**
   * Returns the official format of a deviating object, or `undefined` if no repair matches. Replaces all violations and
   * warnings since `mark` by one warning per repair, because the object is decoded again.
   */
  repair(point: RepairPoint, json: JsonObject, mark: DecoderMark = this.mark()): JsonObject | undefined {
    if (this.strict) return undefined;
    const applied: Repair[] = [];
    let official = json;
    for (const repair of this.#repairs) {
      const next = repair.point === point ? repair.apply(official, this) : undefined;
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
   * Rejects, in strict mode, members that the protocol ignores but profiles interpret. Ignoring them would misunderstand
   * the sender.
   */
  rejectRepairable(point: RepairPoint, json: JsonObject): void {
    if (!this.strict) return;
    for (const repair of this.#repairs) {
      if (repair.point === point && repair.apply(json, this) !== undefined) this.violate(repair.expected);
    }
  }

  mark(): DecoderMark {
    return {
      violations: this.#violations.length,
      warnings: this.#warnings.length,
      unknownRoom: this.unknownRoom,
    };
  }

  failedSince(mark: DecoderMark): boolean {
    return this.#violations.length > mark.violations;
  }

  /** Ends the pass. Throws one error with all violations, if there are any. */
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
      // Names come from the sender, and each violation repeats the path.
      const name = k.length > MAX_NAME ? `${k.slice(0, MAX_NAME)}…` : k;
      return path === '' ? name : `${path}.${name}`;
    }, '');
  }
}

/** A snapshot of the counters, to compare or roll back. */
export interface DecoderMark {
  readonly violations: number;
  readonly warnings: number;
  readonly unknownRoom: number;
}
