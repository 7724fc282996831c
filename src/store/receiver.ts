import type { PushConfigRecord } from './store.ts';

/** Who is told: one host may have many addresses and ports, and is slow or away at all of them. */
export function receiverOf({ config }: PushConfigRecord): string {
  return URL.canParse(config.url) ? new URL(config.url).hostname : '';
}
