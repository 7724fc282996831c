import { Engine } from '../engine/engine.ts';
import type { Runnable } from '../engine/runnable.ts';
import type { AuditTrail } from '../observe/audit.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Observers } from '../observe/observers.ts';
import { openTelemetryTracer } from '../observe/opentelemetry.ts';
import { memoryStore } from '../store/memory/store.ts';
import type { Agent } from './agent.ts';
import type { AgentCards } from './agent-cards.ts';
import type { Access } from './auth/access.ts';
import { Deviations } from './deviations.ts';
import { Failures } from './failure.ts';
import type { HandlerSettings } from './handler-options.ts';
import type { InFlight } from './limits/in-flight.ts';
import { createLimits } from './limits/service-limits.ts';
import { OperationWatch } from './operation-watch.ts';
import type { Outbound } from './outbound.ts';
import { pushPolicyOf } from './push-options.ts';
import type { Serverless } from './serverless/serverless.ts';
import type { ServerlessSettings } from './serverless-options.ts';
import type { Service } from './service.ts';

/** What a service is made of. */
export interface ServiceParts {
  readonly agent: Agent;
  readonly settings: HandlerSettings;
  readonly log: Log;
  readonly access: Access;
  readonly cards: AgentCards;
  readonly outbound: Outbound;
  readonly metrics: Metrics | undefined;
  readonly audit: AuditTrail;
  readonly isClosing: () => boolean;
  readonly inFlight: InFlight;
}

/** Puts an agent to work: what an earlier process left unfinished goes on. */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { agent, settings, log, access, cards, outbound, metrics, audit, isClosing, inFlight } = parts;
  const { store, limits, tracing } = settings;
  await Promise.all([cards.signer?.start(), outbound.start()]);
  const tracer = tracing === undefined || tracing === false ? undefined : openTelemetryTracer(tracing);
  const observers = { tracer, metrics };
  const engine = await startEngine(parts, observers);
  const serverless = settings.serverless && (await startServerless(engine, settings.serverless, parts));
  return {
    engine,
    agent,
    failures: new Failures(log, Date.now, { audit, metrics }),
    identify: access.identify,
    offer: settings.offer,
    streaming: settings.streaming,
    pushNotifications: settings.pushNotifications,
    stateTransitionHistory: settings.stateTransitionHistory,
    extendedCards: cards.extended,
    pushGuard: outbound.pushGuard,
    deduplicateByMessageId: settings.deduplicateByMessageId,
    maxBodyBytes: settings.maxBodyBytes,
    keepsTraces: tracing !== false,
    audit,
    watch: tracer === undefined && metrics === undefined ? undefined : new OperationWatch(agent.id, observers),
    isClosing,
    limits: createLimits(
      {
        settings: limits,
        agent: agent.id,
        takeTokens: store?.takeTokens?.bind(store),
        strict: settings.offer.strict,
      },
      inFlight.responses,
    ),
    deviations: new Deviations(log),
    access,
    serverless,
  };
}

/** Loaded late: most hosts do not freeze. */
async function startServerless(
  engine: Engine,
  settings: ServerlessSettings,
  { log, settings: { publicUrl, offer } }: ServiceParts,
): Promise<Serverless> {
  try {
    const { Serverless } = await import('./serverless/serverless.ts');
    return new Serverless({ engine, settings, publicUrl, offer, log });
  } catch (error) {
    // Another try starts another.
    await engine.close();
    throw error;
  }
}

function startEngine({ agent, settings, log, outbound }: ServiceParts, observers: Observers): Promise<Engine> {
  const { store, retention, limits, push, role } = settings;
  const { courier, fetchFile } = outbound;
  if (store === undefined) log.warn('No store is given: tasks are kept in memory, and lost with it');
  return Engine.start({
    store: store ?? memoryStore(),
    agents: [settings.enforceOutputModes ? enforcingOutputModes(agent) : agent],
    log,
    observers,
    fetchFile,
    closesWithWhole: settings.streams?.closeWithWhole ?? false,
    runsTasks: role !== 'web',
    ...(courier !== undefined && { courier }),
    push: pushPolicyOf(push),
    ...(retention !== undefined && { retention }),
    maxPushConfigs: limits.pushConfigsPerTask,
    maxMessages: limits.messagesPerTask,
    maxHistoryBytes: limits.historyBytesPerTask,
    maxRunBytes: limits.runBytes,
    onDemand: settings.serverless !== undefined,
  });
}

/** The agent as the engine runs it if callers must accept one of its output types. */
function enforcingOutputModes(agent: Agent): Runnable {
  return {
    ...agent,
    admit(message, acceptedOutputModes, skillId) {
      agent.admit(message, acceptedOutputModes, skillId);
      agent.admitOutputModes(acceptedOutputModes, skillId);
    },
  };
}
