import type { DecodeOptions } from '../../wire/decoder.ts';
import type { BytesInFlight } from './bytes-in-flight.ts';
import type { LimitSettings } from './limit-settings.ts';
import { OpenStreams } from './open-streams.ts';
import { RateLimit, type RateLimitOptions } from './rate-limit.ts';

/** The limits of a host: the settings and the counters. */
export interface HostLimits {
  readonly settings: LimitSettings;
  readonly rate: RateLimit;
  readonly streams: OpenStreams;
  /** Counts bytes of responses that are not sent yet. */
  readonly responses: BytesInFlight;
  /** Options for decoding params; undefined for the defaults. */
  readonly reading: DecodeOptions | undefined;
  /** The same for requests at the path of a profile, which are never decoded strictly. */
  readonly profileReading: DecodeOptions | undefined;
}

export interface HostLimitOptions extends RateLimitOptions {
  /** Reject requests that deviate from the protocol instead of accepting them with a warning. */
  readonly strict?: boolean | undefined;
}

export function createLimits(options: HostLimitOptions, responses: BytesInFlight): HostLimits {
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
