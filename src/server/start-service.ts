import { Engine } from '../engine/engine.ts';
import type { Runnable } from '../engine/runnable.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Observers } from '../observe/observers.ts';
import { openTelemetryTracer } from '../observe/opentelemetry.ts';
import { systemClock } from '../support/time/clock.ts';
import { TimerHeap } from '../support/time/timer-heap.ts';
import { UnsharedTimers } from '../support/time/unshared-timers.ts';
import { memoryStore } from '../store/memory/store.ts';
import type { Agent } from '../agent/agent.ts';
import type { AgentCards } from './cards/agent-cards.ts';
import type { Access } from '../host/auth/access.ts';
import { Deviations } from '../host/deviations.ts';
import { Failures } from '../host/failure.ts';
import { createLimits } from '../host/limits/service-limits.ts';
import { OperationObserver } from '../host/operation-observer.ts';
import type { Outbound } from '../host/outbound/outbound.ts';
import { pushPolicyOf } from '../host/options/push-options.ts';
import type { Serverless } from './serverless/serverless.ts';
import type { ServerlessSettings } from './options/serverless-options.ts';
import type { HandlerParts, Service } from './service.ts';

interface ServiceParts extends HandlerParts {
  readonly access: Access;
  readonly cards: AgentCards;
  readonly outbound: Outbound;
  readonly metrics: Metrics | undefined;
}

/** Starts the engine and creates the service. Tasks that an earlier process left unfinished resume. */
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
    observer: tracer === undefined && metrics === undefined ? undefined : new OperationObserver(agent.id, observers),
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
    timers: serverless === undefined ? new TimerHeap(systemClock) : new UnsharedTimers(systemClock),
    serverless,
  };
}

/** Loaded late, because most hosts do not freeze processes. */
async function startServerless(
  engine: Engine,
  settings: ServerlessSettings,
  { log, settings: { publicUrl, offer } }: ServiceParts,
): Promise<Serverless> {
  try {
    const { Serverless } = await import('./serverless/serverless.ts');
    return new Serverless({ engine, settings, publicUrl, offer, log });
  } catch (error) {
    // The next attempt starts another engine.
    await engine.close();
    throw error;
  }
}

function startEngine({ agent, settings, log, outbound }: ServiceParts, observers: Observers): Promise<Engine> {
  const { store, retention, limits, push, role } = settings;
  const { pushTransport, fetchFile } = outbound;
  if (store === undefined) log.warn('No store is configured: tasks are kept in memory and lost when the process ends');
  return Engine.start({
    store: store ?? memoryStore(),
    agents: [settings.enforceOutputModes ? enforcingOutputModes(agent) : agent],
    log,
    observers,
    fetchFile,
    closesWithWhole: settings.streams?.closeWithWhole ?? false,
    runsTasks: role !== 'web',
    ...(pushTransport !== undefined && { pushTransport }),
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
