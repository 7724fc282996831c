import type { InProcessHandler } from '../support/net/in-process.ts';

/** Opens the handler behind `connect(agent)`, with its own memory store. Loads the server late, because few programs need it. */
export async function openInProcess(agent: object): Promise<InProcessHandler> {
  const { createLocalHandler } = await import('../server/handler.ts');
  const { memoryStore } = await import('../store/memory/store.ts');
  const handler = createLocalHandler(agent, memoryStore());
  return { fetch: handler.fetch, close: () => handler.close({ finishMs: 0 }) };
}
