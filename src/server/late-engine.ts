import type { Engine as StartedEngine, EngineOptions } from '../engine/engine.ts';

/** Runs agents without HTTP; `Engine.start` makes one. */
export type Engine = StartedEngine;

/** Loaded when the first one is started: who serves an agent has one of a handler, which loads it, too. */
export const Engine = {
  /** Starts an engine: what an earlier process left unfinished goes on. */
  async start(options: EngineOptions): Promise<Engine> {
    const loaded = await import('../engine/engine.ts');
    return loaded.Engine.start(options);
  },
} as const;
