/** Why a run stops its handler. */
export type StopReason =
  | 'canceled'
  | 'timeout'
  | 'lease-lost'
  | 'not-stored'
  | 'shutdown'
  | 'handed-over'
  | 'suspended'
  | 'over';

/**
 * The state of a run. `stop` is why its handler has to stop, if it has to.
 *
 *     event                        │ running        │ suspended        │ ending           │ over
 *     ─────────────────────────────┼────────────────┼──────────────────┼──────────────────┼─────────────────
 *     its lease is released        │ suspended      │                  │ ending, not held │
 *     claimed again                │                │ running          │ ending, held     │
 *     a cancel is stored, timeout  │ running, stop  │ suspended, stop  │ ending, stop     │
 *     the handler ends, or throws  │ ending, held   │ ending, not held │ (logged)         │ (logged)
 *     the engine ends the turn     │ ending, held   │ ending, not held │                  │
 *     the end is stored            │                │                  │ over             │
 *     lost, handed over, evicted   │ over, stop     │ over, stop       │ over, stop       │
 *
 * An empty cell: the event does not happen, or changes nothing. A run ends exactly once: after that, nothing that the
 * handler does has an effect.
 */
export type RunState =
  /** The handler runs, and the run holds its lease and a slot. */
  | { readonly kind: 'running'; readonly stop: 'canceled' | 'timeout' | undefined }
  /** The handler only waits for answers and timers. The run is in memory, without a lease. */
  | { readonly kind: 'suspended'; readonly stop: 'canceled' | 'timeout' | undefined }
  /** The end of the turn is being stored. `isHeld`: whether the run holds its lease; otherwise the end waits for one. */
  | { readonly kind: 'ending'; readonly isHeld: boolean; readonly stop: 'canceled' | 'timeout' | undefined }
  /** The end is stored, or the run was stopped. */
  | { readonly kind: 'over'; readonly stop: StopReason | undefined };

/** The state of each run at first. */
export const RUNNING: RunState = { kind: 'running', stop: undefined };

export function holdsLease(state: RunState): boolean {
  return state.kind === 'running' || (state.kind === 'ending' && state.isHeld);
}

/** Whether the handler has ended its turn, or was ended. */
export function hasEnded({ kind }: RunState): boolean {
  return kind === 'ending' || kind === 'over';
}

export function afterRelease(state: RunState): RunState {
  if (state.kind === 'running') return { kind: 'suspended', stop: state.stop };
  return state.kind === 'ending' ? { ...state, isHeld: false } : state;
}

export function afterClaim(state: RunState): RunState {
  if (state.kind === 'suspended') return { kind: 'running', stop: state.stop };
  return state.kind === 'ending' ? { ...state, isHeld: true } : state;
}

/** The handler has to stop. A cancel takes precedence over a timeout. */
export function afterSignal(state: RunState, stop: 'canceled' | 'timeout'): RunState {
  return state.kind === 'over' || state.stop === 'canceled' ? state : { ...state, stop };
}

export function afterEnd(state: RunState): RunState {
  if (state.kind === 'over' || state.kind === 'ending') return state;
  return { kind: 'ending', isHeld: state.kind === 'running', stop: state.stop };
}

/** @param stop Why the run was stopped; `undefined` if its end is stored. The first reason counts. */
export function afterStop(state: RunState, stop?: StopReason): RunState {
  return { kind: 'over', stop: state.stop ?? stop };
}

const WORDS: Readonly<Record<StopReason, string>> = {
  canceled: 'The task was canceled',
  timeout: 'The task timed out',
  'lease-lost': 'Another node runs the task now',
  'not-stored': 'The task could not be stored',
  shutdown: 'The node is shutting down',
  'handed-over': 'This node has no time left for the task; another node resumes it',
  suspended: 'The run is suspended',
  over: 'The run has ended',
};

/** The abort reason of `ctx.signal`. */
export function stopError(reason: StopReason): DOMException {
  return new DOMException(WORDS[reason], 'AbortError');
}
