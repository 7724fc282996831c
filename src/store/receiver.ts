import type { PushConfigRecord } from './store.ts';

/** The receiver of a push config: its host. All URLs and ports of a host usually fail together. */
export function receiverOf({ config }: PushConfigRecord): string {
  return URL.canParse(config.url) ? new URL(config.url).hostname : '';
}
