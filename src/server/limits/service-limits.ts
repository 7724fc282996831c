import type { ReadOptions } from '../../wire/reader.ts';
import type { BytesInFlight } from './bytes-in-flight.ts';
import type { LimitSettings } from './limit-settings.ts';
import { OpenStreams } from './open-streams.ts';
import { RateLimit, type RateLimitOptions } from './rate-limit.ts';

/** The limits of a handler at work: the numbers, and what is counted. */
export interface ServiceLimits {
  readonly settings: LimitSettings;
  readonly rate: RateLimit;
  readonly streams: OpenStreams;
  /** Bytes of responses that are not sent yet. */
  readonly responses: BytesInFlight;
  /** For what reads params; undefined where it does so by itself. */
  readonly reading: ReadOptions | undefined;
  /** The same for requests at the path of a profile, which are never read strictly. */
  readonly profileReading: ReadOptions | undefined;
}

export interface ServiceLimitOptions extends RateLimitOptions {
  /** Reject what deviates from the protocol instead of reading it with a warning. */
  readonly strict?: boolean | undefined;
}

export function createLimits(options: ServiceLimitOptions, responses: BytesInFlight): ServiceLimits {
  const { settings, strict = false } = options;
  const limits =
    settings.given.has('depth') || settings.given.has('items')
      ? { maxDepth: settings.depth, maxItems: settings.items }
      : undefined;
  return {
    settings,
    rate: new RateLimit(options),
    streams: new OpenStreams(settings),
    responses,
    reading: limits === undefined && !strict ? undefined : { strict, ...(limits && { limits }) },
    profileReading: limits && { limits },
  };
}
