const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal is aborted, or at once if it is. Any number may wait for the same signal with one listener on it:
 * Node warns of a leak at the eleventh. The returned function takes it back.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  const waiting = listeners.get(signal) ?? listenTo(signal);
  // Two who pass the same function are still two.
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
