/**
 * What files that share a process could change for the ones after them: the environment, listeners of the process, the
 * globals, and the methods of what every program uses. A picture is taken before a file and compared after it.
 */
export type SharedState = ReadonlyMap<string, unknown>;

/** Whose methods tests have reason to replace for a while. */
const OWNERS = {
  globalThis,
  process,
  Array: Array.prototype,
  Map: Map.prototype,
  Set: Set.prototype,
  Promise: Promise.prototype,
  String: String.prototype,
  Date,
  JSON,
  Math,
  Object,
  performance,
};

/** What the runner keeps for itself, and what Node puts in place when it loads a part of its own for the first time. */
const NOT_OURS = /^(globalThis\.(console|__vitest|__zod|Symbol\()|process\.(env|_|exitCode|chdir))/;

export function takeSharedState(): SharedState {
  const state = new Map<string, unknown>();
  for (const [name, value] of Object.entries(process.env)) state.set(`environment variable ${name}`, value);
  for (const event of process.eventNames()) {
    state.set(`listeners of the process for ${String(event)}`, process.listenerCount(event));
  }
  state.set('working directory', process.cwd());
  for (const [owner, object] of Object.entries(OWNERS)) {
    for (const key of Reflect.ownKeys(object)) {
      const name = `${owner}.${String(key)}`;
      if (!NOT_OURS.test(name)) state.set(name, valueOf(object, key));
    }
  }
  return state;
}

/** The names of what is not as it was. */
export function changesSince(before: SharedState): readonly string[] {
  const now = takeSharedState();
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => {
    // Node defines many globals as getters that put the value in their place at first use.
    if (before.get(name) === LAZY && now.has(name)) return false;
    return before.has(name) !== now.has(name) || !Object.is(before.get(name), now.get(name));
  });
}

const LAZY = Symbol('not read yet');

function valueOf(object: object, key: PropertyKey): unknown {
  const descriptor = Reflect.getOwnPropertyDescriptor(object, key);
  return descriptor !== undefined && 'value' in descriptor ? descriptor.value : LAZY;
}
