import type { Engine } from '../engine/engine.ts';
import type { AuditTrail } from '../observe/audit.ts';
import type { AddressGuard } from '../push/address-guard.ts';
import type { Offer } from '../wire/offer.ts';
import type { Agent } from './agent.ts';
import type { ExtendedCards } from './extended-card.ts';
import type { Access } from './auth/access.ts';
import type { Deviations } from './deviations.ts';
import type { Failures } from './failure.ts';
import type { Identify } from './identify.ts';
import type { ServiceLimits } from './limits/service-limits.ts';
import type { OperationWatch } from './operation-watch.ts';
import type { Serverless } from './serverless/serverless.ts';

/** An agent at work: what the operations and bindings of the protocol need. */
export interface Service {
  readonly engine: Engine;
  readonly agent: Agent;
  readonly failures: Failures;
  readonly deviations: Deviations;
  readonly identify: Identify;
  readonly offer: Offer;
  /** Whether it offers streams. */
  readonly streaming: boolean;
  /** Whether it takes push configurations. */
  readonly pushNotifications: boolean;
  /** Whether callers can get the state changes of their tasks. */
  readonly stateTransitionHistory: boolean;
  /** If known callers have cards of their own. */
  readonly extendedCards?: ExtendedCards | undefined;
  /** Which addresses it may send notifications to. */
  readonly pushGuard: AddressGuard;
  /** Whether a message that comes again is recognised by its `messageId` and content. */
  readonly deduplicateByMessageId: boolean;
  readonly maxBodyBytes: number;
  /** Whether the traces of callers are gone on with. */
  readonly keepsTraces: boolean;
  readonly audit: AuditTrail;
  /** Told of every operation, if somebody wants to know. */
  readonly watch: OperationWatch | undefined;
  /** It takes no more work, and ends its streams. */
  readonly isClosing: () => boolean;
  readonly limits: ServiceLimits;
  readonly access: Access;
  /** What keeps work going on a host that freezes between requests. */
  readonly serverless?: Serverless | undefined;
}
