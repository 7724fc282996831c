import type { Metrics } from './metrics.ts';
import type { Tracer } from './tracer.ts';

/** Who wants to know how things go, beside the log. Whoever is absent costs nothing. */
export interface Observers {
  readonly tracer?: Tracer | undefined;
  readonly metrics?: Metrics | undefined;
}
