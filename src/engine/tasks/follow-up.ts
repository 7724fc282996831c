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
import { keyReused } from './new-task.ts';
import { isTurnQuestion } from '../run/outcome.ts';
import { noRoomForPush, pushConfigOf } from '../outbox/push-configs.ts';
import { textOfParts } from '../../model/part-text.ts';
import { QUESTIONS } from '../../model/question.ts';
import { shownSince } from '../questions/open-questions.ts';
import { isAnsweredBy, readAnswer } from '../questions/question.ts';
import { readQuestions, type TaskQuestions, toQuestionEnd } from './answer-question.ts';
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
  let tries = 0;
  const { kind, record } = await changeTask(engine, {
    taskId,
    action: 'add the message',
    faultPoint: 'after-follow-up',
    read: async () => shown(submission, taskId, await read()).record,
    plan: async (now) => {
      const idempotency = idempotencyOf(submission, engine.clock.now());
      try {
        const planned = await planOf(engine, submission, now, { secretFor, tries: tries++ });
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

interface EarlierTries {
  /** The sensitive question that an earlier try was to answer. */
  readonly secretFor: string | undefined;
  readonly tries: number;
}

async function planOf(
  engine: EngineContext,
  submission: Submission,
  record: TaskRecord,
  { secretFor, tries }: EarlierTries,
): Promise<AnswerWrite> {
  const { answers } = submission;
  if (answers !== undefined && record.question === undefined) throw notAsked(record);
  assertFits(submission, record, engine.agents.get(record.agent));
  await assertRoom(engine, record);
  // A message that names its question cannot answer another one.
  const isLate = answers === undefined && secretFor !== undefined && secretFor !== record.question;
  if (record.question !== undefined && !isLate) return toQuestion(engine, submission, record, tries);
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

function notAsked({ id }: TaskRecord): A2AError {
  return new A2AError(
    'INVALID_PARAMS',
    `Task ${id} has not asked the question that the message answers, or it is no longer open`,
    {
      violations: [{ field: 'message', description: 'must answer an open question of the task' }],
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
  { id, historyBytes = 0 }: TaskRecord,
  write: TaskWrite,
): TaskWrite {
  // The last message of the write is the one that was sent, as callers may see it. A question comes before its answer.
  let added = jsonSize(message) + (metadata === undefined ? 0 : jsonSize(metadata));
  for (const asked of write.history?.slice(0, -1) ?? []) added += jsonSize(asked);
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

async function toQuestion(
  engine: EngineContext,
  submission: Submission,
  record: TaskRecord,
  tries: number,
): Promise<AnswerWrite> {
  const { question: shownKey = '', id, contextId } = record;
  const { answers } = submission;
  const received = withTaskIds(submission.message, id, contextId);
  if (isTurnQuestion(shownKey)) {
    if (answers !== undefined && answers !== record.status.message?.messageId) throw notAsked(record);
    const entry = turnEntry(submission, record, received);
    return { write: toNextTurn(engine, record, entry, withoutSensitive(received)), secretFor: undefined };
  }
  const questions = await readQuestions(engine.store, record);
  const question = answers === undefined ? questions.shown : questions.open.find((one) => one.id === answers);
  if (question === undefined) throw notAsked(record);
  const { asked, key } = question;
  if (!isAnsweredBy(asked, received) || isBesideOthers(submission, questions)) {
    if (answers !== undefined) throw notCredential(record);
    return { write: toInbox(submission, record, false, engine.clock.now()), secretFor: undefined };
  }
  if (answers === undefined) assertSeen(engine, record, questions);
  const isSecret = asked.sensitive || asked.credential !== undefined || hasSensitive(received);
  // Unknown members of a sensitive answer may repeat it, and are not stored anywhere.
  const message = asked.sensitive ? withoutUnknown(received) : received;
  const said = asked.sensitive ? redacted(message) : withoutSensitive(message);
  const secretFor = asked.sensitive ? key : undefined;
  let value: JsonValue;
  try {
    value = readAnswer(asked, message);
  } catch (error) {
    const isCanceling = engine.agents.get(record.agent)?.limits.onUnfitAnswer === 'cancel-question';
    if (!isCanceling || !A2AError.is(error, 'INVALID_PARAMS')) throw error;
    // The message is not the answer. It is recorded before the question ends, so that the handler finds it in its inbox.
    const before = messageEntry(message, isSecret);
    const answer: JournalEntry = { kind: 'answer', key, body: { canceled: true } };
    return { write: toQuestionEnd(engine, record, questions, { question, answer, before, said, tries }), secretFor };
  }
  const body = { value, said: said as unknown as JsonValue };
  const answer: JournalEntry = { kind: 'answer', key, body, ...(isSecret && { sensitive: true }) };
  return { write: toQuestionEnd(engine, record, questions, { question, answer, said, tries }), secretFor };
}

/**
 * Whether a message that names no question would become the credential of a question that accepts any message, although the task asks
 * other questions too. Callers may mean one of those.
 */
function isBesideOthers({ answers, message }: Submission, { shown: { asked }, open }: TaskQuestions): boolean {
  return answers === undefined && asked.credential === 'any' && open.length > 1 && !hasSensitive(message);
}

/** How long after a question was replaced by another one a message without an id may still be meant for the first. */
const SWITCH_MS = 5000;

/** @throws A2AError `INVALID_PARAMS` with the question that is shown, if it replaced another one a moment ago. */
function assertSeen({ clock }: EngineContext, { id }: TaskRecord, { entries, shown: asks }: TaskQuestions): void {
  const since = shownSince(entries, asks.key);
  if (since === undefined || clock.now() - since >= SWITCH_MS) return;
  const text = textOfParts(asks.parts.filter((part) => 'text' in part));
  throw new A2AError(
    'INVALID_PARAMS',
    `Task ${id} has asked another question for less than ${SWITCH_MS / 1000} seconds. To answer that one, name it in the message: ` +
      `metadata["${QUESTIONS.uri}"].questionId = "${asks.id}". The question: ${text}`,
    {
      violations: [{ field: 'message.metadata', description: 'must name the question that the message answers' }],
      details: { taskId: id, questionId: asks.id, question: text },
    },
  );
}

function notCredential({ id }: TaskRecord): A2AError {
  const description = 'must have a part whose metadata marks it as sensitive: the question asks for a credential';
  return new A2AError('INVALID_PARAMS', `The message cannot authorize task ${id}: it ${description}`, {
    violations: [{ field: 'message.parts', description }],
    details: { taskId: id },
  });
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

function toNextTurn(engine: EngineContext, record: TaskRecord, entry: JournalEntry, said: Message): TaskWrite {
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
