import { openTelemetryTracer } from '../observe/opentelemetry.ts';
import type { Tracer } from '../observe/tracer.ts';
import { type Clock, systemClock } from '../support/time/clock.ts';
import { count, defaultsOf, type OptionTable } from '../support/options.ts';
import { PACKAGE_VERSION } from '../support/package-version.ts';
import type { DecodeOptions, Warning } from '../wire/decoder.ts';
import type { CardTrust } from './card/card-trust.ts';
import type { ClientLimits, ConnectOptions } from './options.ts';

const MIB = 1024 * 1024;

/** The options of `limits`. */
export const CLIENT_LIMITS = {
  maxAnswerBytes: count({ byDefault: 16 * MIB }),
  maxEventBytes: count({ byDefault: 16 * MIB }),
  maxCardBytes: count({ byDefault: MIB }),
  maxFileBytes: count({ byDefault: 64 * MIB }),
  maxRedirects: count({ least: 0, byDefault: 5 }),
} as const satisfies OptionTable<ClientLimits>;

const DEFAULT_LIMITS: ClientLimits = defaultsOf(CLIENT_LIMITS);

/** Default time limits: for discovery, for single requests, and for waiting for a task. */
export const DEFAULT_TIMEOUTS = { discovery: 30_000, request: 60_000, task: 300_000 } as const;

/** The options with their defaults applied. */
export interface Settings {
  readonly limits: ClientLimits;
  readonly clock: Clock;
  readonly read: DecodeOptions;
  readonly retries: number;
  readonly reconnectMs: number | undefined;
  readonly recognisesRepeats: boolean | undefined;
  readonly timeoutMs: number | undefined;
  readonly extensions: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string | undefined;
  readonly strict: boolean;
  readonly tracer: Tracer | undefined;
  readonly verifyCard: CardTrust | undefined;
  warn(warnings: readonly Warning[]): void;
}

export function readSettings(options: ConnectOptions, warn: (warnings: readonly Warning[]) => void): Settings {
  const strict = options.strict ?? false;
  const own = `tandem-a2a/${PACKAGE_VERSION}`;
  return {
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    clock: options.clock ?? systemClock,
    read: { strict },
    retries: options.retries ?? 2,
    reconnectMs: options.reconnectMs,
    recognisesRepeats: options.recognisesRepeats,
    timeoutMs: options.timeoutMs,
    extensions: options.extensions ?? [],
    headers: Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    // Browsers set their own User-Agent. Another one would require a CORS preflight.
    userAgent:
      'document' in globalThis ? undefined : options.userAgent === undefined ? own : `${options.userAgent} ${own}`,
    strict,
    tracer: options.tracing === undefined ? undefined : openTelemetryTracer(options.tracing),
    verifyCard: options.verifyCard,
    warn,
  };
}
