import type { StreamResponse, TaskArtifactUpdateEvent } from '../../model/event.ts';
import type { Message } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import { describesQuestion, textOfParts } from '../../model/part-text.ts';
import { isPaused } from '../../model/state.ts';
import { addPart } from '../../model/text-parts.ts';
import type { Store, StoredTask, TaskEvent, TaskRecord } from '../../store/store.ts';
import type { ConversationTurn } from '../handler.ts';
import { artifactsOf } from '../replay/event-body.ts';
import type { Trigger } from '../replay/journal.ts';

/** How many earlier tasks of the context are read. */
const MAX_TASKS = 20;
/** The most events of one task that are read. Of a longer task only the final artifacts are known. */
const MAX_EVENTS = 2000;
/** The most text and file content in one conversation, in characters. Older turns are left out. */
const MAX_SIZE = 1024 * 1024;
const PAGE = 1000;

/** The current message, and the number of the last event before its turn. */
export interface CurrentTurn extends Trigger {
  readonly after?: number;
}

/**
 * The turns of a context until the current message, oldest first. Events after the current message do not count, so that
 * a replay gets the same turns of its own task.
 */
export async function conversationTurns(
  store: Store,
  record: TaskRecord,
  current: CurrentTurn,
  limit: number,
): Promise<readonly ConversationTurn[]> {
  const query = { agents: [record.agent], contextId: record.contextId, limit: MAX_TASKS + 1, artifacts: true };
  const { tasks } = await store.list(record, query);
  const earlier = tasks
    .filter((other) => other.record.id !== record.id && other.record.createdAt <= record.createdAt)
    .sort((a, b) => a.record.createdAt - b.record.createdAt);
  const turns: ConversationTurn[] = [];
  for (const task of earlier) turns.push(...(await turnsOf(store, task)));
  if (current.after !== undefined) {
    const own = await store.read(record, record.id);
    if (own !== undefined)
      turns.push(...ownTurns(own, await eventsOf(store, record.id, current.after), current.message));
  }
  turns.push(turn('user', record.id, current.message.parts));
  return bounded(turns, limit);
}

async function turnsOf(store: Store, task: StoredTask): Promise<readonly ConversationTurn[]> {
  const { record, history } = task;
  if (record.lastEvent <= MAX_EVENTS)
    return merged(record.id, history, await eventsOf(store, record.id, record.lastEvent));
  const artifacts = task.artifacts === undefined ? [] : artifactsOf(task.artifacts);
  return [
    ...history.filter(({ role }) => role === 'ROLE_USER').map(({ parts }) => turn('user', record.id, parts)),
    ...artifacts.map(({ parts }) => turn('agent', record.id, parts)),
  ];
}

/** The turns of the current task before its current message. */
function ownTurns(
  { record, history }: StoredTask,
  events: readonly TaskEvent[],
  { messageId }: Message,
): readonly ConversationTurn[] {
  const end = history.findIndex((message) => message.messageId === messageId);
  return merged(record.id, end === -1 ? history : history.slice(0, end), events);
}

async function eventsOf(store: Store, taskId: string, last: number): Promise<readonly TaskEvent[]> {
  const events: TaskEvent[] = [];
  while (events.length < last) {
    const page = await store.events(taskId, events.length, Math.min(PAGE, last - events.length));
    if (page.length === 0) break;
    events.push(...page);
  }
  return events;
}

/**
 * Messages and artifacts of a task in the order in which they were published. An agent message of the state `working` reports progress.
 * It is left out, because it is not a part of the conversation.
 */
function merged(
  taskId: string,
  history: readonly Message[],
  events: readonly TaskEvent[],
): readonly ConversationTurn[] {
  const updates = events.map(({ body }) => JSON.parse(body) as StreamResponse).values();
  const inHistory = new Set(history.map(({ messageId }) => messageId));
  const turns: ConversationTurn[] = [];
  const output = new AgentOutput();
  const endTurn = (): void => {
    const parts = output.take();
    if (parts.length > 0) turns.push(turn('agent', taskId, parts));
  };
  /** Collects output up to the status with this message, or all the rest. */
  const collectUntil = (messageId?: string): void => {
    for (const update of updates) {
      if ('artifactUpdate' in update) output.add(update.artifactUpdate);
      if (!('statusUpdate' in update)) continue;
      const { state, message } = update.statusUpdate.status;
      if (message === undefined) continue;
      const isLast = message.messageId === messageId;
      if (state !== 'TASK_STATE_WORKING' && (isLast || !inHistory.has(message.messageId)))
        output.addParts(isPaused(state) ? message.parts.filter((part) => !describesQuestion(part)) : message.parts);
      if (isLast) return;
    }
  };
  for (const { role, messageId, parts } of history) {
    if (role === 'ROLE_AGENT') {
      collectUntil(messageId);
    } else {
      endTurn();
      turns.push(turn('user', taskId, parts));
    }
  }
  collectUntil();
  endTurn();
  return turns;
}

/** The answer to a yes-or-no question can be a boolean. In a conversation it is a word. */
function answerText(parts: readonly Part[]): string {
  const [only] = parts;
  if (parts.length !== 1 || only === undefined || !('data' in only) || typeof only.data !== 'boolean')
    return textOfParts(parts);
  return only.data ? 'yes' : 'no';
}

/** The output of the agent since the last message of the caller. */
class AgentOutput {
  #artifacts = new Map<string, Part[]>();
  #rest: Part[] = [];

  add({ artifact: { artifactId, parts }, append = false }: TaskArtifactUpdateEvent): void {
    const own = append ? (this.#artifacts.get(artifactId) ?? []) : [];
    for (const part of parts) addPart(own, part);
    this.#artifacts.set(artifactId, own);
  }

  addParts(parts: readonly Part[]): void {
    this.#rest.push(...parts);
  }

  take(): readonly Part[] {
    const parts = [...[...this.#artifacts.values()].flat(), ...this.#rest];
    this.#artifacts = new Map();
    this.#rest = [];
    return parts;
  }
}

function turn(role: ConversationTurn['role'], taskId: string, parts: readonly Part[]): ConversationTurn {
  return { role, taskId, text: role === 'user' ? answerText(parts) : textOfParts(parts), parts };
}

/** The latest turns, of at most this number and of a bounded size. The current message is always one of them. */
function bounded(turns: readonly ConversationTurn[], limit: number): readonly ConversationTurn[] {
  const kept: ConversationTurn[] = [];
  let size = 0;
  for (const one of turns.toReversed()) {
    size += sizeOf(one.parts);
    if (kept.length > 0 && (kept.length >= limit || size > MAX_SIZE)) break;
    kept.push(one);
  }
  return kept.toReversed();
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : JSON.stringify(part).length), 0);
}
