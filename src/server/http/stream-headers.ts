import { SAFE } from '../../host/http.ts';

/** Proxies must not buffer, cache or transform events. */
export const STREAM_HEADERS = {
  ...SAFE,
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;
