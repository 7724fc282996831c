import type { AgentCard } from '../../model/card.ts';
import { Leaving } from '../../support/leave-signal.ts';
import type { Warning } from '../../wire/decoder.ts';
import { Credentials } from '../auth/credentials.ts';
import { UrlCache, type ClientContext } from './exchange.ts';
import { DrainingConnections } from '../task/draining-connections.ts';
import type { ConnectOptions } from '../options.ts';
import { readSettings } from '../settings.ts';
import type { TaskAddress } from '../task/task-handle.ts';
import { chooseTransport } from '../transport/choose-transport.ts';
import type { Transport } from '../transport/transport.ts';
import { Trust } from './trust.ts';

/** Keeps an agent from filling the memory with warnings. */
const MAX_WARNINGS = 100;

/** The parts of a client that do not depend on the card. */
export interface Connection {
  readonly context: ClientContext;
  /** Deviations from the protocol so far. */
  readonly warnings: readonly Warning[];
}

export function createConnection(options: ConnectOptions, transport: Transport | undefined): Connection {
  const warnings: Warning[] = [];
  const settings = readSettings(options, (found) => {
    for (const warning of found) {
      if (warnings.length < MAX_WARNINGS) warnings.push(warning);
      notify(options.onWarning, warning);
    }
  });
  const { clock } = settings;
  const { auth, interceptors = [] } = options;
  const trust = new Trust(options.allowOrigins);
  const used = transport ?? chooseTransport(options.fetch);
  const context: ClientContext = {
    settings,
    transport: used,
    trust,
    credentials: auth === undefined ? undefined : new Credentials(auth, { clock, trust, transport: used }),
    interceptors,
    draining: new DrainingConnections(),
    urls: new UrlCache(),
    closing: new Leaving(),
  };
  return { context, warnings };
}

function notify(onWarning: ConnectOptions['onWarning'], warning: Warning): void {
  try {
    onWarning?.(warning);
  } catch {
    // An error of the user's callback must not fail the call.
  }
}

/** A card for an agent of which only a task handle is known. */
export function cardOfHandle({ url, binding, version, tenant, streaming }: TaskAddress): AgentCard {
  const entry = { url, protocolBinding: binding, protocolVersion: version };
  return {
    name: new URL(url).host,
    description: '',
    version: '',
    supportedInterfaces: [tenant === undefined ? entry : { ...entry, tenant }],
    capabilities: { streaming },
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
  };
}
