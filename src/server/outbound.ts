import type { Courier } from '../engine/delivery.ts';
import type { FetchFile } from '../engine/run-environment.ts';
import type { Log } from '../observe/log.ts';
import { AddressGuard } from '../push/address-guard.ts';
import { chooseOutboundTransport } from '../push/choose-transport.ts';
import { FileFetcher } from '../push/fetch-file.ts';
import { NotificationTokens } from '../push/notification-tokens.ts';
import { PushSender } from '../push/sender.ts';
import { WebhookSignatures } from '../push/webhook-signature.ts';
import { type Clock, systemClock } from '../support/clock.ts';
import { createCourier } from './courier.ts';
import type { FileOptions } from './file-options.ts';
import { type PushOptions, several } from './push-options.ts';

export interface OutboundSettings {
  readonly pushNotifications: boolean;
  readonly push: PushOptions | undefined;
  readonly files: FileOptions | undefined;
  readonly publicUrl: string | undefined;
  readonly log: Log;
  readonly clock?: Clock;
}

const PUSH_TIMEOUT_MS = 15_000;
const FILE_TIMEOUT_MS = 30_000;
const MAX_FILE_BYTES = 10 * 2 ** 20;

/** All that an agent sends to addresses that others name: notifications, and questions for files. */
export class Outbound {
  /** Looks at the addresses of push configurations when they come. */
  readonly pushGuard: AddressGuard;
  /** Of keys that receivers check notifications by, if there are any. */
  readonly tokens: NotificationTokens | undefined;
  readonly courier: Courier | undefined;
  readonly fetchFile: FetchFile;
  readonly #open: readonly { close(): void }[];

  constructor({ pushNotifications, push = {}, files = {}, publicUrl, log, clock = systemClock }: OutboundSettings) {
    const keys = several(push.signingKey);
    const secrets = several(push.signingSecret);
    this.pushGuard = new AddressGuard(push);
    this.tokens = keys.length === 0 ? undefined : new NotificationTokens(keys, push.issuer ?? publicUrl, clock);
    const fileGuard = new AddressGuard(files);
    const fetcher = new FileFetcher({
      guard: fileGuard,
      transport: chooseOutboundTransport(files.resolve, fileGuard),
      maxBytes: files.maxBytes ?? MAX_FILE_BYTES,
      timeoutMs: files.timeoutMs ?? FILE_TIMEOUT_MS,
      clock,
      log,
    });
    const sender = new PushSender({
      guard: this.pushGuard,
      transport: chooseOutboundTransport(push.resolve, this.pushGuard),
      timeoutMs: push.timeoutMs ?? PUSH_TIMEOUT_MS,
      signatures: secrets.length === 0 ? undefined : new WebhookSignatures(secrets),
      tokens: this.tokens,
      clock,
      log,
    });
    this.courier = pushNotifications ? createCourier(sender) : undefined;
    this.fetchFile = fetcher.fetch;
    this.#open = [fetcher, sender];
  }

  /** @throws TypeError that names the option that cannot be used. */
  async start(): Promise<void> {
    await this.tokens?.start();
  }

  close(): void {
    for (const each of this.#open) each.close();
  }
}
