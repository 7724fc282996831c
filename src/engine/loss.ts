import type { TaskRecord } from '../store/store.ts';

/** Why a run can write no more. */
export type Loss =
  /** Another node has the task, or it has ended. */
  | { readonly kind: 'refused'; readonly record: TaskRecord | undefined }
  /** Another message came before it could be said that none had come: the task goes on. */
  | { readonly kind: 'overtaken' }
  /** Nobody knows whether the last write happened. */
  | { readonly kind: 'failed'; readonly error: unknown };
