import { may, must, mustNot, note, should, shouldNot } from './define.ts';
import type { Requirement } from './define.ts';

export const SEND = {
  'S-01': must(3, 'server', '§3.1.1', 'responds with a task or a message'),
  'S-02': must(3, 'server', '§3.2.2', 'waits for a terminal or interrupted state by default'),
  'S-03': must(3, 'server', '§3.2.2', 'having waited, responds with the latest state and all artifacts'),
  'S-04': must(3, 'server', '§3.2.2', 'returnImmediately: responds once the task is created'),
  'S-05': note(3, 'server', '§3.2.2', 'the flag changes nothing for messages, streams and push'),
  'S-06': must(3, 'server', '§3.1.1', 'a message to a finished task: UnsupportedOperation'),
  'S-07': must(3, 'server', '§3.1.1, §3.4.2', 'an unknown or inaccessible task id: TaskNotFound'),
  'S-08': must(3, 'server', '§3.1.1', 'a part of a type that the agent does not accept: ContentTypeNotSupported'),
  'S-09': may(3, 'server', '§3.3.1', 'recognises a repeated messageId'),
  'S-10': should(3, 'server', 'proto', 'respects acceptedOutputModes'),
  'S-11': shouldNot(3, 'server', '§3.7', 'delivers results as messages: artifacts are for that'),
  'S-12': mustNot(4, 'client', '§3.7', 'relies on messages for critical information, or on the history being complete'),
  'S-13': must(3, 'server', 'proto, §3.2.4', 'returns at most historyLength messages, none for 0'),
  'S-14': should(3, 'server', '§3.2.4', 'omits the history for historyLength 0'),
} as const satisfies Record<string, Requirement>;

export const IDS = {
  'C-01': may(3, 'server', '§3.4.1', 'generates a contextId if the message has none, and returns it'),
  'C-02': may(3, 'server', '§3.4.1', "accepts the client's contextId and keeps it"),
  'C-03': must(3, 'server', '§3.4.1', 'rejects a contextId it cannot accept, and never replaces it by another'),
  'C-04': shouldNot(4, 'client', '§3.4.1', 'invents a contextId for a server it does not know'),
  'C-05': should(4, 'client', '§3.4.1', "does not parse the server's contextIds"),
  'C-06': should(3, 'both', '§3.4.1', 'one contextId is one conversation'),
  'C-07': may(3, 'server', '§3.4.1', 'lets contexts expire, and documents when'),
  'C-08': must(3, 'server', '§3.4.2', 'generates a unique id for each new task, and returns it'),
  'C-09': must(4, 'client', '§3.4.2', 'names only existing tasks in a message'),
  'C-10': mustNot(4, 'client', '§3.4.2', 'chooses the id of a new task'),
  'C-11': must(3, 'server', '§3.4.3', 'infers the contextId from the task if the message has only a taskId'),
  'C-12': must(3, 'server', '§3.4.3', "rejects a contextId that is not the task's"),
  'C-13': should(4, 'both', '§3.4.3', 'names related tasks in referenceTaskIds, and uses them as context'),
  'C-14': must(3, 'server', 'proto', "the server's messages have a contextId"),
  'C-15': must(3, 'server', 'guide', 'finished tasks stay finished: refinements are new tasks in the context'),
  'C-16': must(3, 'both', 'proto', 'artifact ids are unique within a task'),
  'C-17': should(3, 'server', 'guide', 'keeps the name of an artifact when it refines one'),
} as const satisfies Record<string, Requirement>;

export const STREAM = {
  'T-01': must(3, 'server', '§3.1.2', 'a message stream is one message, then the end'),
  'T-02': must(3, 'server', '§3.1.2', 'a task stream starts with the task'),
  'T-03': must(3, 'server', '§3.1.2', 'sends only status and artifact updates after the task'),
  'T-04': must(3, 'server', '§3.1.2, §3.1.6', 'ends at a terminal state'),
  'T-05': must(3, 'server', '§3.5.2', 'delivers in the order of generation'),
  'T-06': may(3, 'server', '§3.5.2', 'has several streams for one task'),
  'T-07': must(3, 'server', '§3.5.2', 'sends each event to all of them, in the same order'),
  'T-08': mustNot(3, 'server', '§3.5.2', 'lets the end of one stream affect the others'),
  'T-09': must(3, 'server', '§3.1.6', 'subscribe starts with the current task'),
  'T-10': must(3, 'server', '§3.1.6', 'subscribe to a finished task: UnsupportedOperation'),
  'T-11': must(3, 'server', '§3.1.6', 'subscribe to an unknown task: TaskNotFound'),
  'T-12': should(3, 'server', '§7.6.1', 'keeps streams open in AUTH_REQUIRED if credentials arrive out of band'),
  'T-13': may(3, 'server', '§11.7', 'sends the task once more before the end'),
  'T-14': must(3, 'server', '§3.1.2', 'sends progress on the stream at once'),
  'T-15': must(3, 'server', 'proto', 'events have taskId and contextId'),
} as const satisfies Record<string, Requirement>;

export const LIST = {
  'L-01': must(3, 'server', '§3.1.4', 'pages by cursor'),
  'L-02': must(3, 'server', '§3.1.4', 'newest status first'),
  'L-03': must(3, 'server', '§3.1.4', 'always has nextPageToken, empty at the end'),
  'L-04': must(3, 'server', '§3.1.4', 'omits artifacts by default'),
  'L-05': should(3, 'server', '§3.1.4', 'with includeArtifacts, has the member even if it is empty'),
  'L-06': must(3, 'server', 'proto', 'pages of 50 tasks by default, 1 to 100'),
  'L-07': must(3, 'server', 'proto', 'always has totalSize and pageSize'),
  'L-08': must(3, 'server', 'proto', 'filters by context, status, and earliest status time'),
  'L-09': must(3, 'server', '§3.3.2, §6.5', 'rejects invalid filters'),
} as const satisfies Record<string, Requirement>;

export const GET_AND_CANCEL = {
  'G-01': must(3, 'server', '§3.1.3', 'get of an unknown task: TaskNotFound'),
  'G-02': must(3, 'server', '§3.1.5', 'cancel: TaskNotFound if unknown, TaskNotCancelable if it has ended'),
  'G-03': must(3, 'server', '§3.3.1', 'cancel can be repeated'),
  'G-04': must(3, 'server', '§3.1.5', 'cancel returns the updated task'),
  'G-05': must(3, 'server', '§3.3.1', 'get, list and cards can be repeated'),
} as const satisfies Record<string, Requirement>;
