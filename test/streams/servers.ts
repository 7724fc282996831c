import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import type { RunLimits } from '../../src/engine/runnable.ts';
import { type AgentServer, serve, type ServeOptions } from '../../src/node/serve.ts';
import { type Agent, agent } from '../../src/agent/agent.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { Store, TaskEvent } from '../../src/store/store.ts';

export const STORES = ['memory', 'SQLite'] as const;

/** Opens a store, and closes it after the test. */
export function openStore(kind: (typeof STORES)[number]): Store {
  if (kind === 'memory') return memoryStore();
  const folder = mkdtempSync(join(tmpdir(), 'tandem-streams-'));
  const store = sqlite(join(folder, 'tasks.db'));
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return store;
}

export function testAgent(run: Handler, limits: Partial<RunLimits> = {}): Agent {
  return agent({ name: 'Test', description: 'Streams.', run, ...limits });
}

/** Serves an agent until the test is over. */
export async function startServer(testedAgent: Agent, options: ServeOptions = {}): Promise<AgentServer> {
  const server = await serve(testedAgent, { port: 0, store: memoryStore(), insecurePublic: true, ...options });
  onTestFinished(() => server.close({ finishMs: 0 }));
  return server;
}

/** All public events of a task, in order. */
export async function logOf(store: Store, taskId: string): Promise<readonly TaskEvent[]> {
  const events: TaskEvent[] = [];
  for (;;) {
    const page = await store.events(taskId, events.length, 1000);
    if (page.length === 0) return events;
    events.push(...page);
  }
}
