import type { TaskRecord } from '../../store/store.ts';

/** Why a run has lost its task. */
export type Loss =
  /** Another node holds the lease, or the task has ended. */
  | { readonly kind: 'rejected'; readonly record: TaskRecord | undefined }
  /**
   * Another message arrived first, so the decision of the run was not stored, or the node was frozen. The task continues.
   */
  | { readonly kind: 'overtaken' }
  /** A write failed, and it is unknown whether it was stored. */
  | { readonly kind: 'failed'; readonly error: unknown };
