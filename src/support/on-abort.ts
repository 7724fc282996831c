const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls a function when a signal aborts, or at once if it already has. Any number of callers share one listener per signal,
 * because Node warns of a leak at the eleventh. The returned function removes the callback.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  const waiting = listeners.get(signal) ?? listenTo(signal);
  // The same function can be added twice.
  const own = (): void => listener();
  waiting.add(own);
  return () => void waiting.delete(own);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const waiting = new Set<() => void>();
  listeners.set(signal, waiting);
  const callAll = (): void => {
    for (const each of waiting) each();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return waiting;
}
