import type { Engine } from '../engine/engine.ts';
import type { AuditTrail } from '../observe/audit.ts';
import type { Log } from '../observe/log.ts';
import type { AddressGuard } from '../push/address-guard.ts';
import type { Agent } from '../agent/agent.ts';
import type { ExtendedCards } from './cards/extended-card.ts';
import type { Access } from '../host/auth/access.ts';
import type { Deviations } from '../host/deviations.ts';
import type { Failures } from '../host/failure.ts';
import type { Identify } from '../host/auth/authenticator.ts';
import type { AnonymousAccess } from '../host/options/anonymous-access.ts';
import type { Heartbeats } from './http/heartbeats.ts';
import type { OwnPaths } from './http/own-paths.ts';
import type { InFlight } from '../host/limits/in-flight.ts';
import type { HandlerSettings } from './options/handler-options.ts';
import type { ServiceLimits } from '../host/limits/service-limits.ts';
import type { OperationObserver } from '../host/operation-observer.ts';
import type { Timers } from '../support/time/timers.ts';
import type { Serverless } from './serverless/serverless.ts';

/** The parts of a handler that exist before it starts. */
export interface HandlerParts {
  readonly agent: Agent;
  readonly settings: HandlerSettings;
  readonly anonymousAccess: AnonymousAccess;
  readonly log: Log;
  readonly audit: AuditTrail;
  readonly heartbeats: Heartbeats;
  readonly paths: OwnPaths;
  readonly isClosing: () => boolean;
  readonly inFlight: InFlight;
}

/** A started agent: everything that operations and bindings need. */
export interface Service extends Pick<
  HandlerSettings,
  'offer' | 'streaming' | 'pushNotifications' | 'stateTransitionHistory' | 'deduplicateByMessageId' | 'maxBodyBytes'
> {
  readonly engine: Engine;
  readonly agent: Agent;
  readonly failures: Failures;
  readonly deviations: Deviations;
  readonly identify: Identify;
  /** Set if authenticated callers have extended cards. */
  readonly extendedCards?: ExtendedCards | undefined;
  /** Checks the addresses of push configurations. */
  readonly pushGuard: AddressGuard;
  /** Whether incoming trace context is propagated. */
  readonly keepsTraces: boolean;
  /** Records metrics and spans of operations, if enabled. */
  readonly observer: OperationObserver | undefined;
  /** Whether the handler is closing and ends its streams. */
  readonly isClosing: () => boolean;
  readonly limits: ServiceLimits;
  /** Ends streams at given times. */
  readonly timers: Timers;
  readonly access: Access;
  /** Continues tasks on hosts that freeze the process between requests. */
  readonly serverless?: Serverless | undefined;
}
