import { SAFE } from './http.ts';

/** Nothing between us and the reader may keep events back. */
export const STREAM_HEADERS = {
  ...SAFE,
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;
