import type { AgentCard } from '../model/card.ts';
import { Leaving } from '../support/leave-signal.ts';
import type { Warning } from '../wire/reader.ts';
import { Credentials } from './credentials.ts';
import { UrlMemory, type Wiring } from './exchange.ts';
import { Lingering } from './lingering.ts';
import type { ConnectOptions } from './options.ts';
import { readSettings } from './settings.ts';
import type { TaskAddress } from './task-handle.ts';
import { chooseTransport } from './transport/choose-transport.ts';
import type { Transport } from './transport/transport.ts';
import { Trust } from './trust.ts';

/** A stranger cannot fill the memory with what is odd about him. */
const MAX_WARNINGS = 100;

/** What a client is made of before it knows its agent. */
export interface Connection {
  readonly wiring: Wiring;
  /** What was odd so far. */
  readonly warnings: readonly Warning[];
}

export function createConnection(options: ConnectOptions, transport: Transport | undefined): Connection {
  const warnings: Warning[] = [];
  const settings = readSettings(options, (found) => {
    for (const warning of found) {
      if (warnings.length < MAX_WARNINGS) warnings.push(warning);
      tell(options.onWarning, warning);
    }
  });
  const { clock } = settings;
  const { auth, interceptors = [] } = options;
  const trust = new Trust(options.allowOrigins);
  const used = transport ?? chooseTransport(options.fetch);
  const wiring: Wiring = {
    settings,
    transport: used,
    trust,
    credentials: auth === undefined ? undefined : new Credentials(auth, { clock, trust, transport: used }),
    interceptors,
    lingering: new Lingering(),
    urls: new UrlMemory(),
    closing: new Leaving(),
  };
  return { wiring, warnings };
}

/** Whatever the listener does, it does not touch the call. */
function tell(onWarning: ConnectOptions['onWarning'], warning: Warning): void {
  try {
    onWarning?.(warning);
  } catch {
    // Its own affair.
  }
}

/** What can be said of an agent of which only the handle of a task is known. */
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
