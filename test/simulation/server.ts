import type { PushTransport } from '../../src/engine/outbox/delivery.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { PushPolicy } from '../../src/engine/outbox/push-policy.ts';
import { DEFAULT_LIMITS, type Runnable, type RunLimits } from '../../src/engine/runnable.ts';
import type { Store } from '../../src/store/store.ts';
import { simulatedHandler } from './handler.ts';
import type { SimNode } from './node.ts';
import type { HandlerChecks } from './handler-checks.ts';

export const MAX_ATTEMPTS = 4;
const LEASE_MS = 300;
const POLL_MS = 200;

const LIMITS: RunLimits = {
  ...DEFAULT_LIMITS,
  timeoutMs: 900,
  cancelGraceMs: 60,
  maxAttempts: MAX_ATTEMPTS,
  questionTtlMs: 1200,
  maxWaitMs: 3000,
};

/** The agents of every node: one with many slots, one with one slot, one with recovery "fail", and one that cancels on disconnect. */
const AGENTS: Readonly<Record<string, Partial<RunLimits>>> = {
  wide: {},
  narrow: { concurrency: 1, queue: 2 },
  once: { recovery: 'fail' },
  polite: { onDisconnect: 'cancel' },
};

export const AGENT_IDS: readonly string[] = Object.keys(AGENTS);

export interface Server {
  readonly node: SimNode;
  readonly engine: Engine;
  isClosing: boolean;
}

export interface ServerOptions {
  readonly node: SimNode;
  readonly store: Store;
  readonly checks: HandlerChecks;
  readonly maxSuspended: number;
  readonly replayWindowMs: number;
  readonly pushTransport: PushTransport | undefined;
  readonly hasStepOutputs: boolean;
  /** Called at each fault point of the engine. */
  readonly onFaultPoint: (name: string) => void;
}

/** Resolves when the engine has started, or never if its node dies before. */
export async function startServer({
  node,
  store,
  checks,
  maxSuspended,
  replayWindowMs,
  pushTransport,
  hasStepOutputs,
  onFaultPoint,
}: ServerOptions): Promise<Server> {
  let ids = 0;
  const agents = Object.entries(AGENTS).map(([id, limits]): Runnable => {
    const all = { ...LIMITS, ...limits };
    const run = simulatedHandler(node, checks, { mustNotRunTwice: all.recovery === 'fail', hasStepOutputs });
    return { id, limits: all, run };
  });
  const engine = await Engine.start({
    store,
    agents,
    maxSuspended,
    clock: node.clock,
    scheduler: node.scheduler,
    leaseMs: LEASE_MS,
    retention: { replayWindowMs, everyMs: 500 },
    pollMs: POLL_MS,
    newId: () => `${node.name}.${++ids}`,
    faultPoint: onFaultPoint,
    ...(pushTransport !== undefined && { pushTransport, push: pushPolicy(node) }),
    log: {
      info: () => {},
      warn: (message, fields) => node.world.note(() => `${node.name} warns: ${message} ${show(fields)}`),
      error: (message, fields) => node.world.note(() => `${node.name} logs error: ${message} ${show(fields)}`),
    },
  });
  return { node, engine, isClosing: false };
}

/** Low limits in some worlds, so that deliveries wait for each other. */
function pushPolicy({ world: { random } }: SimNode): Partial<PushPolicy> {
  const shares = { perReceiver: random.pick([1, 8]), perOwner: random.pick([1, 16]) };
  return { concurrency: random.pick([1, 2, 32]), ...shares, random: () => random.next() };
}

function show(fields: Readonly<Record<string, unknown>> = {}): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}
