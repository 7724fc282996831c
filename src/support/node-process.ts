interface Runtime {
  readonly process?: NodeJS.Process;
  readonly Bun?: unknown;
  readonly Deno?: unknown;
}

/**
 * Returns the process if the runtime is Node itself. Built-in modules can be loaded from it without an import, so that
 * bundlers for other runtimes do not see them. Runtimes that emulate Node use web standards instead, which they support
 * better.
 */
export function nodeProcess(): NodeJS.Process | undefined {
  const { process, Bun, Deno } = globalThis as Runtime;
  const isNode = process?.versions?.node !== undefined && typeof process.getBuiltinModule === 'function';
  return isNode && Bun === undefined && Deno === undefined ? process : undefined;
}
