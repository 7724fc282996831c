import type { Agent } from '../agent/agent.ts';
import { Host } from '../host/host.ts';
import type { InFlight } from '../host/limits/in-flight.ts';
import { enforcingOutputModes } from '../host/mounted-agent.ts';
import type { AnonymousAccess } from '../host/options/anonymous-access.ts';
import type { AuditTrail } from '../observe/audit.ts';
import type { Log } from '../observe/log.ts';
import { AgentEndpoints, type Endpoints } from './agent-endpoints.ts';
import { HostEndpoints } from './host-endpoints.ts';
import type { Heartbeats } from './http/heartbeats.ts';
import type { HandlerPaths } from './http/own-paths.ts';
import type { HandlerSettings } from './options/handler-options.ts';
import { continuationBy, RUN_PATH, runPathOf } from './serverless/serverless-options.ts';

/** The parts of a handler that exist before it starts. */
export interface HandlerParts {
  readonly agents: readonly Agent[];
  readonly settings: HandlerSettings;
  readonly anonymousAccess: AnonymousAccess;
  readonly log: Log;
  readonly audit: AuditTrail;
  readonly heartbeats: Heartbeats;
  readonly paths: HandlerPaths;
  readonly isClosing: () => boolean;
  readonly inFlight: InFlight;
}

/** A host, and the endpoints at which its agents are served. */
export interface OpenHost {
  readonly host: Host;
  readonly endpoints: Endpoints;
}

/** Creates the host of a handler, which imports this file late. It does not start yet. */
export function openHost(parts: HandlerParts): OpenHost {
  const { agents, settings, anonymousAccess, log, audit, heartbeats, paths, isClosing, inFlight } = parts;
  const { publicUrl, offer } = settings;
  const [first, ...others] = agents;
  const only = others.length === 0 ? first : undefined;
  const host = new Host({
    agents: settings.enforceOutputModes ? agents.map(enforcingOutputModes) : agents,
    settings: {
      ...settings,
      anonymousAccess,
      allowsOrigin: settings.cors?.choosesOrigin,
      strict: settings.offer.strict === true,
      closesWithWhole: settings.streams?.closeWithWhole ?? false,
      runsTasks: settings.role !== 'web',
    },
    log,
    audit,
    inFlight,
    isClosing,
    createContinuation: continuationBy(settings.serverless, {
      publicUrl,
      path: only === undefined ? RUN_PATH : runPathOf(offer),
      log,
    }),
  });
  host.observers.metrics?.gauge('tandem_open_streams', 'Open streams', [], () => [[[], heartbeats.size]]);
  const { ofAgent } = paths;
  const endpoints =
    only === undefined
      ? new HostEndpoints(host, agents, settings, ofAgent)
      : new AgentEndpoints(host, only, settings, ofAgent, '');
  return { host, endpoints };
}
