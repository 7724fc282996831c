export { CallShares } from './call-shares.ts';
export type * from './call.ts';
export { fairnessKeyOf } from './claims.ts';
export type * from './claims.ts';
export type * from './event.ts';
export { newRecord, statusTime, withoutOpenCall } from './guard.ts';
export { withNameChecks } from './name-checks.ts';
export { boundedPage } from './page.ts';
export { PushShares, receiverOf } from './push-shares.ts';
export type * from './push.ts';
export {
  type AgentRotation,
  byDueTime,
  type Chosen,
  type DueTask,
  type KeyQueue,
  RoundRobin,
  rotationOf,
} from './round-robin.ts';
export type { Store } from './store.ts';
export { bySuspicion, claimedBy, type SuspectTask, suspectsOf } from './suspects.ts';
export type * from './task.ts';
export type * from './tokens.ts';
export { notifyWatchers } from './watchers.ts';
export {
  appendToTask,
  createTask,
  deletePushConfig,
  dropTaskForReply,
  type HeldTask,
  isOwnedBy,
  type KnownRequest,
  type PushConfigUnit,
  putPushConfig,
  removeEnded,
  removeOwned,
  type UnitOfWork,
  visibleTo,
} from './writes.ts';
