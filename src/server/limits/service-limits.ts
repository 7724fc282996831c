import type { ReadOptions } from '../../wire/reader.ts';
import type { LimitSettings } from './limit-settings.ts';
import { OpenStreams } from './open-streams.ts';
import { RateLimit, type RateLimitOptions } from './rate-limit.ts';

/** The limits of a handler at work: the numbers, and what is counted. */
export interface ServiceLimits {
  readonly settings: LimitSettings;
  readonly rate: RateLimit;
  readonly streams: OpenStreams;
  /** For what reads params; undefined where it does so by itself. */
  readonly reading: ReadOptions | undefined;
}

export function createLimits(options: RateLimitOptions): ServiceLimits {
  const { settings } = options;
  const isUsual = !settings.given.has('depth') && !settings.given.has('items');
  return {
    settings,
    rate: new RateLimit(options),
    streams: new OpenStreams(settings),
    reading: isUsual ? undefined : { limits: { maxDepth: settings.depth, maxItems: settings.items } },
  };
}
