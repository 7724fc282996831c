import type { Engine } from '../engine/engine.ts';
import type { AddressGuard } from '../push/address-guard.ts';
import type { Offer } from '../wire/select.ts';
import type { Agent } from './agent.ts';
import type { Failures } from './failure.ts';
import type { Identify } from './identify.ts';

/** An agent at work: what the operations and bindings of the protocol need. */
export interface Service {
  readonly engine: Engine;
  readonly agent: Agent;
  readonly failures: Failures;
  readonly identify: Identify;
  readonly offer: Offer;
  /** Whether it offers streams. */
  readonly streaming: boolean;
  /** Whether it takes push configurations. */
  readonly pushNotifications: boolean;
  /** Which addresses it may send notifications to. */
  readonly pushGuard: AddressGuard;
  readonly maxBodyBytes: number;
  /** It takes no more work, and ends its streams. */
  readonly isClosing: () => boolean;
}
