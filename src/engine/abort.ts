/** Why a handler is told to stop. */
export type StopReason = 'canceled' | 'timeout' | 'lease-lost' | 'shutdown' | 'suspended' | 'over';

const WORDS: Readonly<Record<StopReason, string>> = {
  canceled: 'The task was canceled',
  timeout: 'The task timed out',
  'lease-lost': 'Another node runs the task now',
  shutdown: 'The node is shutting down',
  suspended: 'The run waits and was put away',
  over: 'The task is over',
};

/** What `ctx.signal` gives as its reason. */
export function stopError(reason: StopReason): DOMException {
  return new DOMException(WORDS[reason], 'AbortError');
}
