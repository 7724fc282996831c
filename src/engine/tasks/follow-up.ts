import { A2AError } from '../../errors.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import { isTerminal, type TaskState } from '../../model/state.ts';
import type { TaskStatus } from '../../model/task.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import type { Appended, Idempotency, JournalEntry, StoredTask, TaskRecord, TaskWrite } from '../../store/store.ts';
import { withTaskIds, assertStorable, idempotencyOf, type Submission } from './submission.ts';
import type { EngineContext } from '../engine-context.ts';
import { statusEvent } from '../replay/event-body.ts';
import type { Trigger, Turn } from '../replay/journal.ts';
import { originOf } from '../replay/load-task.ts';
import { isForwarded } from '../replay/unasked-entries.ts';
import { keyReused } from './new-task.ts';
import { isTurnQuestion } from '../run/outcome.ts';
import { noRoomForPush, pushConfigOf } from '../outbox/push-configs.ts';
import { isAnsweredBy, openQuestion, readAnswer } from '../questions/question.ts';
import type { Runnable } from '../runnable.ts';
import { hasSensitive, redacted, withoutSensitive, withoutUnknown } from '../questions/sensitive-parts.ts';
import { timeAfter } from '../write/status-time.ts';
import { changeTask } from './change-task.ts';
import { shown } from './task-access.ts';

const AT_WORK: readonly TaskState[] = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'];

/**
 * Adds a message to a task. A task that waits for an answer gets it and resumes; the handler of a running task finds the
 * message in its inbox; an ended task rejects it. Returns the task after the write.
 *
 * @throws A2AError `TASK_NOT_FOUND`, `INVALID_PARAMS`, `UNSUPPORTED_OPERATION` or `UNAVAILABLE`.
 */
export async function followUp(engine: EngineContext, submission: Submission, taskId: string): Promise<TaskRecord> {
  assertStorable(submission);
  const { store } = engine;
  const read = (): Promise<StoredTask | undefined> => store.read(submission, taskId, { history: 0 });
  const pushed = submission.pushConfig && pushConfigOf(engine, taskId, submission.pushConfig);
  const pushConfig = pushed && { record: pushed, max: engine.maxPushConfigs };
  let secretFor: string | undefined;
  const { kind, record } = await changeTask(engine, {
    taskId,
    action: 'add the message',
    faultPoint: 'after-follow-up',
    read: async () => shown(submission, taskId, await read()).record,
    plan: async (now) => {
      const idempotency = idempotencyOf(submission, engine.clock.now());
      try {
        const planned = await planOf(engine, submission, now, secretFor);
        ({ secretFor } = planned);
        return {
          ...withinHistory(engine, submission, now, planned.write),
          ...(idempotency !== undefined && { idempotency }),
          ...(pushConfig !== undefined && { pushConfig }),
        };
      } catch (error) {
        if ((await fateOf(engine, taskId, idempotency)) === 'repeated') return undefined;
        throw error;
      }
    },
  });
  if (kind === 'key-reused') throw keyReused();
  if (kind === 'full') throw noRoomForPush(taskId, engine.maxPushConfigs);
  if (kind === 'repeated') return (await read())?.record ?? record;
  if (kind === 'changed' && pushed !== undefined) await engine.pushConfigChanged({ taskId, configId: pushed.id });
  return record;
}

/** @param secretFor The sensitive question that an earlier try was to answer. */
async function planOf(
  engine: EngineContext,
  submission: Submission,
  record: TaskRecord,
  secretFor: string | undefined,
): Promise<AnswerWrite> {
  if (submission.answers !== undefined) assertAsks(record, submission.answers);
  assertFits(submission, record, engine.agents.get(record.agent));
  await assertRoom(engine, record);
  const isLate = secretFor !== undefined && secretFor !== record.question;
  if (record.question !== undefined && !isLate) return toQuestion(engine, submission, record);
  return { write: toInbox(submission, record, isLate, engine.clock.now()), secretFor };
}

/** Recognises a repeat of an earlier message, which is accepted whatever state the task is in now. */
async function fateOf(
  { store, node }: EngineContext,
  taskId: string,
  idempotency: Idempotency | undefined,
): Promise<Appended['kind']> {
  if (idempotency === undefined) return 'rejected';
  // The guard allows no state, so the store writes nothing; but it checks for a repeat first.
  return (await store.append({ taskId, by: node, guard: { states: [] }, idempotency })).kind;
}

/** @throws A2AError `INVALID_PARAMS` if the question is not the open one. */
function assertAsks({ id, status: { state, message } }: TaskRecord, question: string): void {
  if (state === 'TASK_STATE_INPUT_REQUIRED' && message?.messageId === question) return;
  throw new A2AError(
    'INVALID_PARAMS',
    `Task ${id} has not asked the question that the message answers, or it is no longer open`,
    {
      violations: [{ field: 'message', description: 'must answer the open question of the task' }],
      details: { taskId: id },
    },
  );
}

function assertFits(submission: Submission, record: TaskRecord, agent: Runnable | undefined): void {
  const { message, acceptedOutputModes = [], caller, tenant, skillId } = submission;
  // Without a skill of its own, the message uses the skill that the task was started for.
  agent?.access?.admit(caller, tenant, skillId ?? originOf(record).skillId);
  const { id, contextId, status, canceling } = record;
  if (message.contextId !== undefined && message.contextId !== contextId) {
    throw new A2AError('INVALID_PARAMS', `Task ${id} belongs to another context`, {
      violations: [{ field: 'message.contextId', description: 'must be the context of the task, or be omitted' }],
    });
  }
  const state = canceling ? 'TASK_STATE_CANCELED' : status.state;
  if (isTerminal(state)) {
    throw new A2AError(
      'UNSUPPORTED_OPERATION',
      `Task ${id} has ended. Send the message without taskId to start a new task in the same context.`,
      {
        details: { taskId: id, state },
      },
    );
  }
  // Checked against the skill that the message itself names: a skill for images may ask a question that is answered with
  // text.
  agent?.admit?.(message, acceptedOutputModes, skillId);
}

/** @throws A2AError `UNSUPPORTED_OPERATION` if the task has reached its limit of messages. */
async function assertRoom({ store, maxMessages }: EngineContext, record: TaskRecord): Promise<void> {
  const { id, lastEvent, lastJournal } = record;
  // Each message but the first comes with an event or a journal entry, so these numbers usually suffice.
  if (lastEvent + lastJournal + 1 < maxMessages) return;
  // Counts the messages without loading them.
  const stored = await store.read(record, id, { history: maxMessages, historyBytes: 0 });
  if (stored === undefined || stored.history.length + (stored.omitted ?? 0) < maxMessages) return;
  throw new A2AError(
    'UNSUPPORTED_OPERATION',
    `Task ${id} has reached its limit of ${maxMessages} messages. Start a new task in the same context.`,
    { details: { taskId: id, limit: 'messagesPerTask', maxMessages: String(maxMessages) } },
  );
}

/**
 * Adds the size of the messages to the write, if the task has room for them. A message counts as it was sent, because its
 * sensitive parts are stored too, only not in the history. The guard checks again, because other writes may happen at the
 * same moment.
 *
 * @throws A2AError `UNSUPPORTED_OPERATION`
 */
function withinHistory(
  { maxHistoryBytes }: EngineContext,
  { message, metadata }: Submission,
  { id, status, historyBytes = 0 }: TaskRecord,
  write: TaskWrite,
): TaskWrite {
  const asked = write.question === null && status.message !== undefined ? jsonSize(status.message) : 0;
  const added = jsonSize(message) + (metadata === undefined ? 0 : jsonSize(metadata)) + asked;
  if (historyBytes + added <= maxHistoryBytes) {
    return { ...write, historyBytes: added, guard: { ...write.guard, maxHistoryBytes: maxHistoryBytes - added } };
  }
  throw new A2AError(
    'UNSUPPORTED_OPERATION',
    `Task ${id} cannot take ${added} more bytes of messages: it has ${historyBytes} of at most ${maxHistoryBytes}. ` +
      'Start a new task in the same context, or send large files by url.',
    { details: { taskId: id, limit: 'historyBytesPerTask', maxHistoryBytes: String(maxHistoryBytes) } },
  );
}

/**
 * Stores a message for the inbox. A message that was meant as the answer to a sensitive question, but came too late, is
 * kept out of the history too and does not answer the next question. A message that answers nothing leaves the question
 * open.
 */
function toInbox(submission: Submission, record: TaskRecord, isSecret: boolean, now: number): TaskWrite {
  const { question } = record;
  const received = withTaskIds(submission.message, record.id, record.contextId);
  const message = isSecret ? withoutUnknown(received) : received;
  return {
    taskId: record.id,
    guard: question === undefined ? { states: AT_WORK, canceling: false } : { question, canceling: false },
    history: [isSecret ? redacted(message) : withoutSensitive(message)],
    journal: [messageEntry(message, isSecret)],
    // A sleeping handler may read its inbox. A queued task keeps its position.
    wakeAt: Math.min(record.wakeAt ?? now, now),
  };
}

async function toQuestion(engine: EngineContext, submission: Submission, record: TaskRecord): Promise<AnswerWrite> {
  const { question = '', id, contextId } = record;
  const received = withTaskIds(submission.message, id, contextId);
  if (isTurnQuestion(question)) {
    const entry = turnEntry(submission, record, received);
    return { write: toAnswer(engine, record, entry, withoutSensitive(received)), secretFor: undefined };
  }
  const asked = openQuestion(await engine.store.journal(id), question);
  if (!isAnsweredBy(asked, received)) {
    return { write: toInbox(submission, record, false, engine.clock.now()), secretFor: undefined };
  }
  const isSecret = asked.sensitive || asked.credential !== undefined || hasSensitive(received);
  // Unknown members of a sensitive answer may repeat it, and are not stored anywhere.
  const message = asked.sensitive ? withoutUnknown(received) : received;
  const said = asked.sensitive ? redacted(message) : withoutSensitive(message);
  let value: JsonValue;
  try {
    value = readAnswer(asked, message);
  } catch (error) {
    const isCanceling = engine.agents.get(record.agent)?.limits.onUnfitAnswer === 'cancel-question';
    if (!isCanceling || !A2AError.is(error, 'INVALID_PARAMS')) throw error;
    return {
      write: toCanceledQuestion(engine, record, message, said, isSecret),
      secretFor: asked.sensitive ? question : undefined,
    };
  }
  const body = { value, said: said as unknown as JsonValue };
  const entry: JournalEntry = { kind: 'answer', key: question, body, ...(isSecret && { sensitive: true }) };
  const write = toAnswer(engine, record, entry, said);
  return { write, secretFor: asked.sensitive ? question : undefined };
}

/** Cancels the open question; the message is not its answer, and the handler finds it in the inbox. */
function toCanceledQuestion(
  engine: EngineContext,
  record: TaskRecord,
  message: Message,
  said: Message,
  isSecret: boolean,
): TaskWrite {
  const { question = '' } = record;
  const write = toAnswer(engine, record, { kind: 'answer', key: question, body: { canceled: true } }, said);
  // The message is recorded before the question ends, so that the handler finds it in its inbox.
  return { ...write, journal: [messageEntry(message, isSecret), ...(write.journal ?? [])] };
}

/** @param isSecret Whether the message was meant as the answer to a sensitive question. */
function messageEntry(message: Message, isSecret: boolean): JournalEntry {
  const entry = { kind: 'message', key: message.messageId, body: message as unknown as JsonValue };
  return isSecret || hasSensitive(message) ? { ...entry, sensitive: true } : entry;
}

interface AnswerWrite {
  readonly write: TaskWrite;
  /** The question that the message answers, if only the handler may see the answer. */
  readonly secretFor: string | undefined;
}

function toAnswer(engine: EngineContext, record: TaskRecord, entry: JournalEntry, said: Message): TaskWrite {
  const { question = '', status } = record;
  const working: TaskStatus = { state: 'TASK_STATE_WORKING', timestamp: timeAfter(status, engine.clock.now()) };
  return {
    taskId: record.id,
    guard: { question, canceling: false },
    events: [statusEvent(record, working)],
    status: working,
    history: [...(status.message === undefined ? [] : [status.message]), said],
    journal: [entry],
    question: null,
    wakeAt: engine.clock.now(),
    ...(isForwarded('question', question) && { callsDue: true as const }),
  };
}

function turnEntry(submission: Submission, { question = '', lastEvent }: TaskRecord, message: Message): JournalEntry {
  const { metadata, extensions, skillId } = submission;
  const trigger: Trigger = {
    message,
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions }),
    ...(skillId !== undefined && { skillId }),
  };
  // The status that sets the task to working still belongs to the old turn.
  const turn: Turn = { ...trigger, after: lastEvent + 1 };
  const entry = { kind: 'turn', key: question, body: turn as unknown as JsonValue };
  return hasSensitive(message) ? { ...entry, sensitive: true } : entry;
}
