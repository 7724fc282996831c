export { type FakeClock, fakeClock } from './fake-clock.ts';
export type { Answer, Hold, PeerMessage, ScriptedAnswer, Step } from './fake-peer/answer.ts';
export type {
  Asked,
  ContentTypeFault,
  CutFault,
  DelayFault,
  DropFault,
  DuplicateFault,
  Fault,
  MalformedFault,
  OversizedFault,
  ReorderFault,
  SilenceFault,
  StatusFault,
  StreamFault,
} from './fake-peer/faults.ts';
export type { PeerRequest } from './fake-peer/request-log.ts';
export { type FakePeer, fakePeer } from './fake-peer.ts';
export type { FakePeerOptions } from './fake-peer/peer.ts';
export { type Recorder, record, type RecordOptions } from './record.ts';
export { type Replay, replay, type ReplayOptions } from './replay.ts';
export { type OpenContext, storeContract, type StoreContractOptions } from './store-contract.ts';
export { type TestAgent, testAgent, type TestAgentOptions, type TestReply } from './test-agent.ts';
export type { Duration } from './test-agent/duration.ts';
export type { RecordedStep } from './test-agent/task-records.ts';
export {
  type TaskLike,
  type StateName,
  type TasksView,
  type TaskView,
  type WaitOptions,
  waitForState,
} from './wait-for-state.ts';
export { type ReplayedJournal, replayJournals, type ReplayJournalsOptions } from './replay-journals.ts';
