/**
 * State that the test files of a process share: the environment, listeners of the process, the globals, and the methods of
 * built-in objects. It is recorded before a file and compared after it.
 */
export type SharedState = ReadonlyMap<string, unknown>;

/** The objects whose methods tests may replace for a while. */
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

/** Members that the runner changes, and those that Node sets when it loads one of its modules for the first time. */
const IGNORED = /^(globalThis\.(console|__vitest|__zod|Symbol\()|process\.(env|_|exitCode|chdir))/;

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
      if (!IGNORED.test(name)) state.set(name, valueOf(object, key));
    }
  }
  return state;
}

/** The names of everything that has changed. */
export function changesSince(before: SharedState): readonly string[] {
  const now = takeSharedState();
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => {
    // Node defines many globals as getters that replace themselves with their value at first use.
    if (before.get(name) === LAZY && now.has(name)) return false;
    return before.has(name) !== now.has(name) || !Object.is(before.get(name), now.get(name));
  });
}

const LAZY = Symbol('not read yet');

function valueOf(object: object, key: PropertyKey): unknown {
  const descriptor = Reflect.getOwnPropertyDescriptor(object, key);
  return descriptor !== undefined && 'value' in descriptor ? descriptor.value : LAZY;
}
