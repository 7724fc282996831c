import type { JSONWebKeySet } from 'jose';
import type { AgentEvent } from '../client/event.ts';
import type { Task } from '../model/task.ts';
import type { Log } from '../observe/log.ts';
import type { Clock } from '../support/clock.ts';
import type { Warning } from '../wire/reader.ts';
import type { SeenIds } from './seen-ids.ts';

/** What a notification tells, in the same form as events of a stream. */
export type WebhookEvent = AgentEvent & {
  /** The same for each attempt to deliver it; undefined if its sender gives none. */
  readonly id: string | undefined;
  /** What was odd about it, and understood all the same. */
  readonly warnings: readonly Warning[];
  /** The whole task as it is now, from the agent. */
  fetchTask(): Promise<Task>;
};

/** As much of a connected client as it takes to get a task. */
export interface TaskSource {
  get(taskId: string): Promise<Task>;
}

/** A secret that is the same for all tasks, or is found by the id of the task. Several are valid at the same time. */
export type TaskSecret = string | readonly string[] | ((taskId: string) => Found | Promise<Found>);
type Found = string | readonly string[] | undefined;

export interface WebhookOptions {
  /** Told of each notification once. What it throws is answered with 500, and the sender comes again. */
  readonly onEvent: (event: WebhookEvent) => void | Promise<void>;
  /** Checks the Standard Webhooks signature by this secret. */
  readonly secret?: string;
  /** Several secrets that are valid at the same time, for rotation. */
  readonly secrets?: readonly string[];
  /** Checks the token of the push configuration, in `X-A2A-Notification-Token` or `A2A-Notification-Token`. */
  readonly token?: TaskSecret;
  /** Checks `Authorization` as a whole, such as `Bearer abc`: scheme and credentials of the push configuration. */
  readonly authorization?: TaskSecret;
  /** Checks the signed token by the keys at this address: `/.well-known/jwks.json` of the agent. */
  readonly jwks?: string;
  /** Checks the signed token by these keys. */
  readonly keys?: JSONWebKeySet;
  /** Who must have signed the token; anybody with the right key if not set. */
  readonly issuer?: string;
  /** The address of this receiver, as the signed token must name it; `false`: one for any other is taken, too. */
  readonly audience?: string | false;
  /** How old a notification may be, or how far ahead its clock; 5 minutes if not set. */
  readonly toleranceMs?: number;
  /** Whether this task is one of ours; others are answered with 404. */
  readonly expects?: (taskId: string) => boolean | Promise<boolean>;
  /** Where `event.fetchTask()` gets its task from. */
  readonly client?: TaskSource | ((taskId: string) => TaskSource | Promise<TaskSource>);
  /** Remembers what was handled; the latest 10,000 in memory if not set. */
  readonly seen?: SeenIds;
  /** The largest body, 8 MiB if not set. */
  readonly maxBodyBytes?: number;
  /** Take notifications from anybody, where nothing is given to check them by. */
  readonly insecure?: boolean;
  /** Where to tell what senders must not see; nowhere if not set. */
  readonly log?: Log;
  readonly clock?: Clock;
}
