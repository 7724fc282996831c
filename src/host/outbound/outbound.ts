import type { PushTransport, Delivery } from '../../engine/outbox/delivery.ts';
import type { FetchFile } from '../../engine/engine-context.ts';
import type { Log } from '../../observe/log.ts';
import { AddressGuard } from '../../push/address-guard.ts';
import { FileFetcher } from '../../push/fetch-file.ts';
import { NotificationTokens } from '../../push/notification-tokens.ts';
import { PushSender, type Notification } from '../../push/sender.ts';
import { WebhookSignatures } from '../../push/webhook-signature.ts';
import { createHttpClient } from '../../support/http-client/create-http-client.ts';
import type { HttpClient } from '../../support/http-client/http-client.ts';
import type { Resolve } from '../../support/net/guarded-lookup.ts';
import { type Clock, systemClock } from '../../support/time/clock.ts';
import type { FileSettings } from '../options/file-options.ts';
import { type PushSettings, several } from '../options/push-options.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { Task } from '../../model/task.ts';
import { mayHoldUnknownMembers } from '../../model/unknown-members.ts';
import { traceHeaders } from '../../observe/trace-context.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { decodePushTarget } from './push-target.ts';

export interface OutboundSettings {
  readonly pushNotifications: boolean;
  readonly push: PushSettings;
  readonly files: FileSettings;
  readonly publicUrl: string | undefined;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Requests to addresses that callers choose: push notifications and file downloads. */
export class Outbound {
  /** Checks the addresses of new push configurations. */
  readonly pushGuard: AddressGuard;
  /** Signs JWTs for notifications, if there are signing keys. */
  readonly tokens: NotificationTokens | undefined;
  readonly pushTransport: PushTransport | undefined;
  readonly fetchFile: FetchFile;
  readonly #open: readonly { close(): void }[];

  constructor({ pushNotifications, push, files, publicUrl, log, clock = systemClock }: OutboundSettings) {
    const keys = several(push.signingKey);
    const secrets = several(push.signingSecret);
    this.pushGuard = new AddressGuard(push);
    this.tokens = keys.length === 0 ? undefined : new NotificationTokens(keys, push.issuer ?? publicUrl, clock);
    const fileGuard = new AddressGuard(files);
    const fetcher = new FileFetcher({
      guard: fileGuard,
      http: clientFor(fileGuard, files.resolve),
      maxBytes: files.maxBytes,
      timeoutMs: files.timeoutMs,
      clock,
      log,
    });
    const sender = new PushSender({
      guard: this.pushGuard,
      http: clientFor(this.pushGuard, push.resolve),
      timeoutMs: push.timeoutMs,
      signatures: secrets.length === 0 ? undefined : new WebhookSignatures(secrets),
      tokens: this.tokens,
      clock,
      log,
    });
    this.pushTransport = pushNotifications ? createPushTransport(sender) : undefined;
    this.fetchFile = fetcher.fetch;
    this.#open = [fetcher, sender];
  }

  /** @throws TypeError that names the invalid option. */
  async start(): Promise<void> {
    await this.tokens?.start();
  }

  close(): void {
    for (const each of this.#open) each.close();
  }
}

/** The maximum number of concurrent connections to one receiver, regardless of the number of tasks. */
const MAX_SOCKETS = 8;

function clientFor(guard: AddressGuard, resolve: Resolve | undefined): HttpClient {
  const mayCall = (address: string): boolean => guard.allowsAddress(address);
  return createHttpClient({ resolve, queriesNameServers: true, mayCall, maxSockets: MAX_SOCKETS });
}

/** Connects the engine, which schedules deliveries, with the sender, which performs them in the dialect of the receiver. */
function createPushTransport(sender: Pick<PushSender, 'send'>): PushTransport {
  return {
    wants: ({ kind }, { dialect }) => kind !== 'artifact' || !decodePushTarget(dialect).dialect.pushesWholeTasks,
    deliver: async (delivery, signal) => sender.send(await notificationOf(delivery), signal),
  };
}

async function notificationOf({ id, task, config, event, taskView, trace }: Delivery): Promise<Notification> {
  const { dialect, alias } = decodePushTarget(config.dialect);
  const body = dialect.pushesWholeTasks
    ? JSON.stringify(dialect.webhook.encode({ task: await taskAt(event, taskView, alias) }))
    : encodedEvent(event, dialect);
  return {
    id,
    taskId: alias ?? task.id,
    config: config.config,
    mediaType: dialect.mediaType,
    body,
    trace: traceHeaders(trace),
  };
}

/** An event is stored in the 1.0 format, except for the unknown members of messages, which only a whole task has. */
function encodedEvent({ kind, body }: Delivery['event'], { webhook }: Dialect): string {
  if (kind !== 'task' || !mayHoldUnknownMembers(body)) return body;
  return JSON.stringify(webhook.encode(JSON.parse(body) as StreamResponse));
}

/** The current task with the status of the event, so that late deliveries still report each state. */
async function taskAt(
  { body }: Delivery['event'],
  taskView: Delivery['taskView'],
  alias: string | undefined,
): Promise<Task> {
  const published = JSON.parse(body) as StreamResponse;
  const task = 'task' in published ? published.task : await taskView();
  const status = 'statusUpdate' in published ? published.statusUpdate.status : task.status;
  return { ...task, status, ...(alias !== undefined && { id: alias }) };
}
