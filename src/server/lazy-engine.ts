import type { Engine as StartedEngine, EngineOptions } from '../engine/engine.ts';

/** Runs agents without HTTP. `Engine.start()` creates one. */
export type Engine = StartedEngine;

/** Loaded with the first `start()`, because `serve()` and `createHandler()` load the engine themselves. */
export const Engine = {
  /** Starts an engine, which resumes the tasks that an earlier process left unfinished. */
  async start(options: EngineOptions): Promise<Engine> {
    const loaded = await import('../engine/engine.ts');
    return loaded.Engine.start(options);
  },
} as const;
