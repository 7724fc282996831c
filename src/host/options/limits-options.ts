import { type Check, isObject, kindOf } from '../../support/check.ts';
import {
  DEFAULT_LIMITS,
  type LimitName,
  type Limits,
  type LimitSettings,
  type Rate,
} from '../limits/limit-settings.ts';

const NAMES = Object.keys(DEFAULT_LIMITS) as readonly LimitName[];

/** Limits that cannot be raised, because of the protocol or the store. */
const MOST: Partial<Record<LimitName, number>> = { depth: DEFAULT_LIMITS.depth, pageSize: DEFAULT_LIMITS.pageSize };

/** Limits for which 0 makes sense. */
const MAY_BE_ZERO: readonly LimitName[] = ['streamsPerCaller', 'subscribersPerTask', 'fileBytes', 'metadataBytes'];

export function readLimits(check: Check, value: unknown): LimitSettings {
  const record = value === undefined ? {} : check.record(value, 'limits', '{ partsPerMessage: 100 }');
  const options = record ?? {};
  check.keys(options, NAMES, 'limits.', { maxBodyBytes: 'it is an option next to limits' });
  const given = new Set(NAMES.filter((name) => options[name] !== undefined));
  const limits: Record<string, unknown> = { ...DEFAULT_LIMITS, given };
  for (const name of given) {
    const isRate = typeof DEFAULT_LIMITS[name] === 'object';
    limits[name] = isRate ? readRate(check, options[name], name) : readCount(check, options[name], name);
  }
  return limits as unknown as Limits & LimitSettings;
}

function readRate(check: Check, value: unknown, name: LimitName): Rate | false {
  if (value === false) return false;
  if (!isObject(value)) {
    check.fault(
      `limits.${name}`,
      `expected false or an object such as { perMinute: 600, burst: 100 }, got ${kindOf(value)}`,
    );
    return false;
  }
  check.keys(value, ['perMinute', 'burst'], `limits.${name}.`);
  const { perMinute, burst } = value;
  if (!(typeof perMinute === 'number' && perMinute > 0 && Number.isFinite(perMinute))) {
    check.fault(`limits.${name}.perMinute`, `expected a number above 0, got ${kindOf(perMinute)}`);
  }
  if (!(Number.isSafeInteger(burst) && Number(burst) > 0)) {
    check.fault(`limits.${name}.burst`, `expected a whole number >= 1, got ${kindOf(burst)}`);
  }
  return { perMinute: Number(perMinute), burst: Number(burst) };
}

function readCount(check: Check, value: unknown, name: LimitName): number {
  check.count(value, `limits.${name}`, MAY_BE_ZERO.includes(name) ? 0 : 1, MOST[name]);
  return Number(value);
}
