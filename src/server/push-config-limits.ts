import type { TaskPushNotificationConfig } from '../model/push.ts';

/** How many characters a push configuration may have: it is kept for each task, and sent with each notification. */
const MAX_CHARACTERS = {
  url: 2048,
  id: 256,
  token: 4096,
  'authentication.scheme': 64,
  'authentication.credentials': 8192,
};

/** With all that nobody knows of. */
const MAX_WHOLE = 16_384;

/** Says which member is too long, and how long it may be; undefined if none is. */
export function tooLong(config: TaskPushNotificationConfig): readonly [field: string, problem: string] | undefined {
  const { url, id = '', token = '', authentication } = config;
  const { scheme = '', credentials = '' } = authentication ?? {};
  const lengths = { url, id, token, 'authentication.scheme': scheme, 'authentication.credentials': credentials };
  for (const name of Object.keys(MAX_CHARACTERS) as (keyof typeof MAX_CHARACTERS)[])
    if (lengths[name].length > MAX_CHARACTERS[name]) return [name, atMost(MAX_CHARACTERS[name])];
  return JSON.stringify(config).length > MAX_WHOLE ? ['', atMost(MAX_WHOLE)] : undefined;
}

function atMost(characters: number): string {
  return `must have at most ${characters} characters`;
}
