import type { JSONWebKeySet } from 'jose';
import type { AgentEvent } from '../client/event.ts';
import type { Task } from '../model/task.ts';
import type { Log } from '../observe/log.ts';
import type { Clock } from '../support/time/clock.ts';
import type { Warning } from '../wire/decoder.ts';
import type { SeenIds } from './seen-ids.ts';

/** A notification in the same form as an event of a stream. */
export type WebhookEvent = AgentEvent & {
  /** The id of the notification, the same for each delivery attempt. Undefined if the sender sends none. */
  readonly id: string | undefined;
  /** Deviations from the protocol that the decoder tolerated. */
  readonly warnings: readonly Warning[];
  /** Fetches the current task from the agent. @throws Error if the option `client` is not set. */
  fetchTask(): Promise<Task>;
};

/** The part of a connected client that `event.fetchTask()` uses. */
export interface TaskSource {
  /** Fetches a task by its id. */
  get(taskId: string): Promise<Task>;
}

/** One secret, several valid secrets, or a function that returns the secrets of a task. If it returns `undefined`, the check fails. */
export type TaskSecret = string | readonly string[] | ((taskId: string) => Found | Promise<Found>);
/** The secrets of a task; undefined if there are none. */
type Found = string | readonly string[] | undefined;

/** The options of `createWebhookHandler()`. At least one check, or `insecure`, is required. */
export interface WebhookOptions {
  /** Called once per notification. If it throws, the response has status 500 and the sender retries. */
  readonly onEvent: (event: WebhookEvent) => void | Promise<void>;
  /** Verifies the Standard Webhooks signature with this secret: at least 16 bytes, as text or as base64 after `whsec_`. */
  readonly secret?: string;
  /** Secrets that are all valid, for rotation. */
  readonly secrets?: readonly string[];
  /** Compares the token of the push config, sent as `X-A2A-Notification-Token` or `A2A-Notification-Token`. */
  readonly token?: TaskSecret;
  /** Compares the whole `Authorization` header, such as `Bearer abc`: scheme and credentials of the push config. */
  readonly authorization?: TaskSecret;
  /** Verifies the signed token with the keys at this URL: `/.well-known/jwks.json` of the agent. Requires `audience`. */
  readonly jwks?: string;
  /** Verifies the signed token with these keys. Requires `audience`. */
  readonly keys?: JSONWebKeySet;
  /** The required issuer of the signed token. Any issuer with a valid key if not set. */
  readonly issuer?: string;
  /** The URL of this receiver, which the signed token must contain as its audience. `false` accepts any audience. */
  readonly audience?: string | false;
  /** The maximum difference in milliseconds between the timestamp of a notification and now. 5 minutes if not set. */
  readonly toleranceMs?: number;
  /** Whether this receiver expects notifications about the task. If not, the response has status 404. All tasks if not set. */
  readonly expects?: (taskId: string) => boolean | Promise<boolean>;
  /** The client that `event.fetchTask()` uses, or a function that returns it for a task. */
  readonly client?: TaskSource | ((taskId: string) => TaskSource | Promise<TaskSource>);
  /** Remembers handled notifications. The latest 10,000, in memory, if not set. */
  readonly seen?: SeenIds;
  /** The maximum size of a body. Larger bodies get status 413. 8 MiB if not set. */
  readonly maxBodyBytes?: number;
  /** Accept notifications from any sender if no check is configured. */
  readonly insecure?: boolean;
  /** Receives log events with details that senders must not see. No log if not set. */
  readonly log?: Log;
  /** Replaces the system clock, for tests. */
  readonly clock?: Clock;
}
