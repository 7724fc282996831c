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
}

export function createLimits(options: RateLimitOptions, responses: BytesInFlight): ServiceLimits {
  const { settings } = options;
  const isUsual = !settings.given.has('depth') && !settings.given.has('items');
  return {
    settings,
    rate: new RateLimit(options),
    streams: new OpenStreams(settings),
    responses,
    reading: isUsual ? undefined : { limits: { maxDepth: settings.depth, maxItems: settings.items } },
  };
}
