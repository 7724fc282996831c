import type { Agent } from '../agent/agent.ts';
import { Host } from '../host/host.ts';
import type { InFlight } from '../host/limits/in-flight.ts';
import { enforcingOutputModes } from '../host/mounted-agent.ts';
import type { AnonymousAccess } from '../host/options/anonymous-access.ts';
import type { AuditTrail } from '../observe/audit.ts';
import type { Log } from '../observe/log.ts';
import { AgentEndpoints } from './agent-endpoints.ts';
import type { Heartbeats } from './http/heartbeats.ts';
import type { OwnPaths } from './http/own-paths.ts';
import type { HandlerSettings } from './options/handler-options.ts';
import { continuationBy, runPathOf } from './serverless/serverless-options.ts';

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

/** A host, and the endpoints at which its agents are served. */
export interface OpenHost {
  readonly host: Host;
  readonly endpoints: AgentEndpoints;
}

/** Creates the host of a handler, which imports this file late. It does not start yet. */
export function openHost(parts: HandlerParts): OpenHost {
  const { agent, settings, anonymousAccess, log, audit, heartbeats, paths, isClosing, inFlight } = parts;
  const { publicUrl, offer } = settings;
  const host = new Host({
    agents: [settings.enforceOutputModes ? enforcingOutputModes(agent) : agent],
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
    createContinuation: continuationBy(settings.serverless, { publicUrl, path: runPathOf(offer), log }),
  });
  host.observers.metrics?.gauge('tandem_open_streams', 'Open streams', [], () => [[[], heartbeats.size]]);
  return { host, endpoints: new AgentEndpoints(host, agent, settings, paths) };
}
