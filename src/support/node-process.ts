interface Runtime {
  readonly process?: NodeJS.Process;
  readonly Bun?: unknown;
  readonly Deno?: unknown;
}

/**
 * The process, if this is Node itself. Its modules can be taken from it without an import, so that no bundler for other
 * runtimes ever meets them. What only acts like Node is left to web standards, at which it is better.
 */
export function nodeProcess(): NodeJS.Process | undefined {
  const { process, Bun, Deno } = globalThis as Runtime;
  const isNode = process?.versions?.node !== undefined && typeof process.getBuiltinModule === 'function';
  return isNode && Bun === undefined && Deno === undefined ? process : undefined;
}
