import type { JsonObject } from '../../model/json.ts';
import type { Artifact } from '../../model/artifact.ts';
import type { Message } from '../../model/message.ts';
import type { Task, TaskStatus } from '../../model/task.ts';
import type { PagePosition, ReadParts, StoredTask, TaskRecord, TaskTexts } from '../../store/store.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import type { EngineContext } from '../engine-context.ts';
import { artifactsOf, taskOf, taskView } from '../replay/event-body.ts';
import { isWithin, notFound, shown, type TaskAccess } from './task-access.ts';

/** The approximate size of history and artifacts in one response; for a list, of all its tasks. */
export const PAGE_BYTES = 8 * 2 ** 20;

/** Metadata key of a task without its oldest messages: `{ omitted: 12 }`. */
export const HISTORY_KEY = 'urn:tandem-a2a:history';

/** A page of a list of tasks. */
export interface ListedTasks<Listed = Task> {
  /** The tasks of the page. */
  readonly tasks: readonly Listed[];
  /** How many tasks match in all. */
  readonly total: number;
  /** Set if the page ended early because of its size. */
  readonly isCut?: true;
}

/** The parts of a task that a response needs. */
export const PAGE_PARTS: ReadParts = Object.freeze({ artifacts: true, historyBytes: PAGE_BYTES });

/**
 * A stored task in the 1.0 format, without its oldest messages if it exceeds the size of one response. Artifacts are never
 * omitted, because they are the result.
 */
export function pagedTask(stored: StoredTask): Task {
  const { record, omitted = 0, artifacts } = stored;
  const task = taskOf(stored);
  const made = artifactBytes(artifacts);
  if (omitted === 0 && (record.historyBytes ?? Infinity) + made <= PAGE_BYTES) return task;
  return withLastMessages(task, PAGE_BYTES - made, omitted);
}

/** Whether the history of a task fits into one response. */
export function fitsPage({ historyBytes = 0 }: TaskRecord): boolean {
  return historyBytes <= PAGE_BYTES;
}

/** Removes the oldest messages of a task whose response turned out too large. */
export function withinPage(task: Task): Task {
  const { history, ...others } = task;
  if (history === undefined) return task;
  return withLastMessages(task, PAGE_BYTES - jsonSize(others), omittedOf(task));
}

/** Limits the history of a task to its last messages; no limit without a number. With 0 the member is omitted. */
export function withHistory(task: Task, length: number | undefined): Task {
  const { history = [] } = task;
  if (length === undefined) return task;
  const omitted = omittedOf(task);
  if (history.length <= length && omitted === 0) return task;
  const shown = length === 0 ? [] : history.slice(-length);
  return withMessages(task, shown, Math.min(length, history.length + omitted) - shown.length);
}

/** @param omitted How many older messages are already omitted. */
function withLastMessages(task: Task, maxBytes: number, omitted: number): Task {
  const { history = [] } = task;
  let bytes = 0;
  let first = history.length;
  while (first > 0 && (bytes += jsonSize(history[first - 1])) <= maxBytes) first -= 1;
  return first === 0 && omitted === omittedOf(task) ? task : withMessages(task, history.slice(first), omitted + first);
}

function withMessages(task: Task, history: readonly Message[], omitted: number): Task {
  const { history: _history, metadata = {}, ...others } = task;
  const { [HISTORY_KEY]: _mark, ...own } = metadata;
  const marked: JsonObject = omitted === 0 ? own : { ...own, [HISTORY_KEY]: { omitted } };
  return {
    ...others,
    ...(history.length > 0 && { history }),
    ...(Object.keys(marked).length > 0 && { metadata: marked }),
  };
}

/** How many messages are omitted from a task. */
function omittedOf({ metadata }: Task): number {
  const mark = metadata?.[HISTORY_KEY] as { readonly omitted?: unknown } | undefined;
  return typeof mark?.omitted === 'number' ? mark.omitted : 0;
}

function artifactBytes(artifacts: StoredTask['artifacts']): number {
  let bytes = artifacts?.snapshot?.length ?? 0;
  for (const { body } of artifacts?.tail ?? []) bytes += body.length;
  return bytes;
}

/**
 * Returns a task with its artifacts, and with as much of its history as requested and as one response can contain.
 *
 * @throws A2AError `TASK_NOT_FOUND`
 */
export async function readTask(
  { store }: EngineContext,
  access: TaskAccess,
  taskId: string,
  historyLength?: number,
): Promise<Task> {
  return pagedTask(shown(access, taskId, await store.read(access, taskId, partsOf(historyLength))));
}

function partsOf(historyLength: number | undefined): ReadParts {
  return historyLength === undefined ? PAGE_PARTS : { ...PAGE_PARTS, history: historyLength };
}

/**
 * A task as the JSON of the 1.0 format, made of the texts that the store has, and its position in a list. Serialising the task would
 * give the same text.
 */
export interface TaskText extends PagePosition {
  /** The JSON of the task. */
  readonly text: string;
}

export function isText(task: Task | TaskText): task is TaskText {
  return 'text' in task;
}

/** Only messages with unknown members differ from the 1.0 format. */
const UNKNOWN_MEMBERS = '"unknownMembers":';

/** Two adjacent members of an array of objects, the second of which is not an artifact. */
const ADJACENT_PARTS = /\},\{"(?!artifactId":)/;

/**
 * Reads a task like `readTask`, as text if the store has it as texts that are exactly what a response contains.
 *
 * @throws A2AError `TASK_NOT_FOUND`
 */
export async function readTaskText(
  context: EngineContext,
  access: TaskAccess,
  taskId: string,
  historyLength?: number,
): Promise<Task | TaskText> {
  const { store } = context;
  if (store.readTexts === undefined) return readTask(context, access, taskId, historyLength);
  const found = await store.readTexts(access, taskId, partsOf(historyLength));
  if (found === undefined || 'record' in found) return pagedTask(shown(access, taskId, found));
  if (!found.visible || !isWithin(access, found)) throw notFound(taskId);
  return taskText(found);
}

/** A task of a page. */
export function listedText(task: TaskTexts | StoredTask): Task | TaskText {
  return 'record' in task ? pagedTask(task) : taskText(task);
}

/** The members are in the order of `taskView`. */
function taskText(texts: TaskTexts): Task | TaskText {
  const { id, contextId, statusTime, status, history, artifacts = '[]', metadata } = texts;
  if (history.includes(UNKNOWN_MEMBERS) || ADJACENT_PARTS.test(artifacts)) return parsed(texts);
  let text = `{"id":${JSON.stringify(id)},"contextId":${JSON.stringify(contextId)},"status":${status}`;
  if (artifacts !== '[]') text += `,"artifacts":${artifacts}`;
  if (history !== '') text += `,"history":[${history}]`;
  if (metadata !== undefined) text += `,"metadata":${metadata}`;
  text += '}';
  return text.length > PAGE_BYTES ? parsed(texts) : { text, statusTime, id };
}

function parsed({ id, contextId, status, history, artifacts, metadata }: TaskTexts): Task {
  const record = {
    id,
    contextId,
    status: JSON.parse(status) as TaskStatus,
    ...(metadata !== undefined && { metadata: JSON.parse(metadata) as JsonObject }),
  };
  const made: readonly Artifact[] = artifacts === undefined ? [] : artifactsOf({ snapshot: artifacts, tail: [] });
  return taskView(record, JSON.parse(`[${history}]`) as Message[], made);
}

/** Returns the current task without waiting for the outcome, and makes it visible, so that the caller can read it again. */
export async function asItIs(
  engine: EngineContext,
  access: TaskAccess,
  taskId: string,
  findReply: () => Promise<Message | undefined>,
): Promise<{ readonly task: Task } | { readonly message: Message }> {
  const shown = await engine.store.append({ taskId, by: engine.node, guard: {}, visible: true });
  const isGone = shown.kind === 'rejected' && shown.record === undefined;
  const message = isGone ? await findReply() : undefined;
  return message === undefined ? { task: await readTask(engine, access, taskId) } : { message };
}
