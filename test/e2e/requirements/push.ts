import { documented, may, must, should } from './define.ts';
import type { Requirement } from './define.ts';

export const PUSH = {
  'P-01': must(5, 'server', '§3.1.7', 'create registers a webhook, and returns it with an id'),
  'P-02': must(5, 'server', '§3.1.7', 'a config is valid until the task has ended or the config is deleted'),
  'P-03': must(5, 'server', '§3.1.8', 'get returns it, or fails if missing or inaccessible'),
  'P-04': must(5, 'server', '§3.1.9', 'list returns all active ones'),
  'P-05': must(5, 'server', '§3.1.10', 'delete is permanent and can be repeated; nothing is sent after it'),
  'P-06': must(5, 'server', '§4.3.3, §3.5.1', 'posts one StreamResponse by plain HTTP, whatever the binding'),
  'P-07': must(5, 'server', '§4.3.3, §13.2', "puts the config's credentials into the headers"),
  'P-08': must(5, 'server', '§4.3.3', 'attempts to deliver each update at least once per config'),
  'P-09': should(5, 'server', '§4.3.3, §13.2', 'retries with exponential backoff'),
  'P-10': should(5, 'server', '§4.3.3', 'gives a receiver 10 to 30 seconds'),
  'P-11': may(5, 'server', '§4.3.3', 'stops after a number of consecutive failures'),
  'P-12': should(5, 'server', '§13.2', 'rejects private, loopback and link-local addresses; has an allow list'),
  'P-13': should(5, 'server', '§13.2', 'stores configs and their secrets safely'),
  'P-14': must(5, 'webhook', '§4.3.3', 'responds with 2xx when it has received the notification'),
  'P-15': should(5, 'webhook', '§4.3.3', 'processes a repeated notification without harm'),
  'P-16': must(5, 'webhook', '§4.3.3, §13.2', 'checks that it expects this task'),
  'P-17': must(5, 'webhook', '§13.2', 'authenticates the sender by the agreed credentials'),
  // How a receiver is deployed (https, limits, a token for each purpose, rotation) is its owner's choice.
  'P-18': documented(
    'docs/push.md',
    should(5, 'webhook', '§13.2', 'https, rate limits, single-purpose tokens, rotation'),
    '**Deploy a receiver** at an https address, with a rate limit in front',
  ),
  'P-19': should(5, 'webhook', 'guide', 'rejects stale notifications and replays'),
  'P-20': must(5, 'server', 'proto', 'a config sent with a message names no task'),
} as const satisfies Record<string, Requirement>;
