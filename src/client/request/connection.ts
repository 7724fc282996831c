import type { AgentCard } from '../../model/card.ts';
import { Leaving } from '../../support/leave-signal.ts';
import type { Warning } from '../../wire/decoder.ts';
import { Credentials } from '../auth/credentials.ts';
import { UrlCache, type ClientContext } from './exchange.ts';
import { DrainingConnections } from '../task/draining-connections.ts';
import type { ConnectOptions } from '../options.ts';
import { readSettings } from '../settings.ts';
import type { TaskAddress } from '../task/task-handle.ts';
import { createHttpClient } from '../../support/http-client/create-http-client.ts';
import type { HttpClient } from '../../support/http-client/http-client.ts';
import { Trust } from './trust.ts';

/** Keeps an agent from filling the memory with warnings. */
const MAX_WARNINGS = 100;

/** The parts of a client that do not depend on the card. */
export interface Connection {
  readonly context: ClientContext;
  /** Deviations from the protocol so far. */
  readonly warnings: readonly Warning[];
}

export function createConnection(options: ConnectOptions, client: HttpClient | undefined): Connection {
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
  const http = client ?? createHttpClient({ fetch: options.fetch });
  const context: ClientContext = {
    settings,
    http,
    trust,
    credentials: auth === undefined ? undefined : new Credentials(auth, { clock, trust, http }),
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
