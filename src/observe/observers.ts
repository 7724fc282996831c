import type { AuditTrail } from './audit.ts';
import type { Metrics } from './metrics.ts';
import type { Tracer } from './tracer.ts';

/** Optional observers in addition to the log. An absent observer costs nothing. */
export interface Observers {
  /** Creates spans. */
  readonly tracer?: Tracer | undefined;
  /** Counts and measures operations and tasks. */
  readonly metrics?: Metrics | undefined;
  /** Records rejections and actions of operators. */
  readonly audit?: AuditTrail | undefined;
}
