import { type Check, isObject, kindOf } from './check.ts';
import { DEFAULT_LIMITS, type LimitName, type Limits, type LimitSettings, type Rate } from './limits/limit-settings.ts';

const NAMES = Object.keys(DEFAULT_LIMITS) as readonly LimitName[];

/** What the protocol or the store cannot do more of. */
const MOST: Partial<Record<LimitName, number>> = { depth: DEFAULT_LIMITS.depth, pageSize: DEFAULT_LIMITS.pageSize };

/** Where none at all makes sense. */
const MAY_BE_ZERO: readonly LimitName[] = ['streamsPerCaller', 'subscribersPerTask', 'fileBytes', 'metadataBytes'];

/** Reads the option `limits` as somebody wrote it; what is wrong is noted. */
export function readLimits(check: Check, value: unknown): LimitSettings {
  const record = value === undefined ? {} : check.record(value, 'limits', '{ partsPerMessage: 100 }');
  const options = record ?? {};
  check.keys(options, NAMES, 'limits.', { maxBodyBytes: 'it stands beside limits' });
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
      `must be false or an object like { perMinute: 600, burst: 100 }, not ${kindOf(value)}`,
    );
    return false;
  }
  check.keys(value, ['perMinute', 'burst'], `limits.${name}.`);
  const { perMinute, burst } = value;
  if (!(typeof perMinute === 'number' && perMinute > 0 && Number.isFinite(perMinute))) {
    check.fault(`limits.${name}.perMinute`, `must be a number above 0, not ${kindOf(perMinute)}`);
  }
  if (!(Number.isSafeInteger(burst) && Number(burst) > 0)) {
    check.fault(`limits.${name}.burst`, `must be a whole number, 1 or more, not ${kindOf(burst)}`);
  }
  return { perMinute: Number(perMinute), burst: Number(burst) };
}

function readCount(check: Check, value: unknown, name: LimitName): number {
  const least = MAY_BE_ZERO.includes(name) ? 0 : 1;
  const most = MOST[name] ?? Number.POSITIVE_INFINITY;
  if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
  const range = most === Number.POSITIVE_INFINITY ? `, ${least} or more,` : ` from ${least} to ${most},`;
  check.fault(`limits.${name}`, `must be a whole number${range} not ${kindOf(value)}`);
  return most;
}
