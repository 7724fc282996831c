import type { Part } from '../../src/model/part.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import type { Message } from '../../src/model/message.ts';
import type {
  Appended,
  Created,
  JournalEntry,
  Lease,
  NewTask,
  StoredTask,
  TaskRecord,
  TaskWrite,
} from '../../src/store/store.ts';
import { created, difference, freed, type Operation, reduce, type Verdict } from './model.ts';
import type { TaskModel } from './model-task.ts';
import type { World } from './world.ts';

/** A journal entry that was stored, with the fencing number of its write. */
export interface Recorded {
  readonly body: JsonValue;
  readonly fence: number;
}

/**
 * The expected content of the store, according to the model. Every response of the store is compared with the model, and
 * everything that the engines show to others is compared with this.
 */
export class ExpectedStore {
  readonly #world: World;
  /** When the heartbeat of each node expires. */
  readonly #nodes = new Map<string, number>();
  readonly #tasks = new Map<string, TaskModel>();
  /** The messages that have created a task. */
  readonly #begun = new Set<string>();
  readonly #repliedTo = new Set<string>();
  /** When a message was added to its task. */
  readonly #addedAt = new Map<string, number>();
  readonly #replies = new Map<string, Message>();
  readonly #recorded = new Map<string, Recorded>();
  /** The keys of questions, by task, turn and text. */
  readonly #questions = new Map<string, Set<string>>();
  readonly #keys = new Map<string, { readonly taskId: string; readonly digest: string }>();

  /** Called when a task with a push configuration was stored. */
  onPushed: (taskId: string, config: { readonly id: string }) => void = () => {};

  /** Called when a task asks its caller a question. */
  onQuestion: (task: TaskModel) => void = () => {};

  constructor(world: World) {
    this.#world = world;
  }

  get tasks(): Iterable<TaskModel> {
    return this.#tasks.values();
  }

  task(id: string): TaskModel | undefined {
    return this.#tasks.get(id);
  }

  /** Whether a task is stored, or was until it was dropped. */
  wasCreated(id: string): boolean {
    return this.#tasks.has(id) || this.#replies.has(id);
  }

  /** When a follow-up was added to its task. */
  addedAt(messageId: string): number | undefined {
    return this.#addedAt.get(messageId);
  }

  /** The bare reply that replaced a task. */
  reply(id: string): Message | undefined {
    return this.#replies.get(id);
  }

  /** Whether the message got a bare reply and no task. */
  isRepliedTo(messageId: string): boolean {
    return this.#repliedTo.has(messageId);
  }

  isReply(messageId: string): boolean {
    return [...this.#replies.values()].some((reply) => reply.messageId === messageId);
  }

  recorded(taskId: string, turn: number, kind: string, key: string): Recorded | undefined {
    return this.#recorded.get([taskId, turn, kind, key].join(' '));
  }

  recordedSteps(taskId: string, turn: number): readonly JsonValue[] {
    const start = [taskId, turn, 'step', ''].join(' ');
    return [...this.#recorded].flatMap(([name, { body }]) => (name.startsWith(start) ? [body] : []));
  }

  /** The stored answers to the question with this text; handlers that diverge may ask it at several places. */
  answersTo(taskId: string, turn: number, text: string): readonly JsonObject[] {
    const keys = [...(this.#questions.get([taskId, turn, text].join(' ')) ?? [])];
    return keys.flatMap((key): readonly JsonObject[] => {
      const record = this.recorded(taskId, turn, 'answer', key);
      return record === undefined ? [] : [record.body as JsonObject];
    });
  }

  created(task: NewTask, result: Created): void {
    const key = task.idempotency && this.#keys.get(`${task.owner} ${task.idempotency.key}`);
    const expected =
      key === undefined ? 'created' : key.digest === task.idempotency?.digest ? 'repeated' : 'key-reused';
    this.#expect(`create ${task.id}`, expected, result.kind);
    if (result.kind === 'repeated' && key?.taskId !== result.taskId) this.#world.fail('a repeat found another task');
    if (result.kind !== 'created') return;
    const { messageId } = task.message;
    if (this.#begun.has(messageId)) this.#world.fail(`message ${messageId} has created two tasks`);
    this.#begun.add(messageId);
    this.#tasks.set(task.id, created(task));
    if (task.pushConfig !== undefined) this.onPushed(task.id, task.pushConfig);
    this.#remember(task.owner, task.id, task.idempotency);
    this.#compare(task.id, result.record);
  }

  appended(write: TaskWrite, result: Appended): void {
    const task = this.#tasks.get(write.taskId);
    const { idempotency } = write;
    const key = idempotency && task && this.#keys.get(`${task.owner} ${idempotency.key}`);
    if (key !== undefined) {
      this.#expect(
        `write to ${write.taskId}`,
        key.digest === idempotency?.digest ? 'repeated' : 'key-reused',
        result.kind,
      );
      return;
    }
    const verdict = this.#judge(task, { kind: 'append', write, isHeld: this.#isHeld(task) });
    this.#expect(`write to ${write.taskId}`, verdict.kind === 'rejected' ? 'rejected' : 'appended', result.kind);
    if (result.kind !== 'appended' || verdict.kind !== 'done' || task === undefined) return;
    if (result.firstEvent !== task.log.length + 1)
      this.#world.fail(`events of ${task.id} are numbered from ${result.firstEvent}`);
    this.#tasks.set(task.id, verdict.task ?? task);
    this.#remember(task.owner, task.id, idempotency);
    this.#record(task, write);
    for (const { messageId } of write.history ?? []) this.#addedAt.set(messageId, this.#world.time);
    if (typeof write.question === 'string') this.onQuestion(verdict.task ?? task);
    this.#compare(task.id, result.record);
  }

  claimed(node: string, records: readonly TaskRecord[]): void {
    const now = this.#world.clock.now();
    this.#freeTasksOfDeadNodes(now);
    for (const record of records) {
      const task = this.#tasks.get(record.id);
      const verdict = this.#judge(task, { kind: 'claim', node, now, isHeld: this.#isHeld(task) });
      this.#expect(`claim of ${record.id}`, verdict.kind, 'done');
      if (verdict.kind === 'done' && verdict.task !== undefined) this.#tasks.set(record.id, verdict.task);
      this.#compare(record.id, record);
    }
  }

  #freeTasksOfDeadNodes(now: number): void {
    const held = [...this.#tasks.values()].filter((task) => task.wakeAt !== undefined && !this.#isHeld(task));
    for (const node of new Set(held.flatMap((task) => task.node ?? []))) {
      const ofNode = held.filter((task) => task.node === node);
      for (const task of freed(ofNode, now)) this.#tasks.set(task.id, task);
    }
  }

  dropped(taskId: string, lease: Lease, reply: Message, isDropped: boolean): void {
    const verdict = this.#judge(this.#tasks.get(taskId), { kind: 'drop', lease });
    this.#expect(`drop of ${taskId}`, verdict.kind === 'done', isDropped);
    if (!isDropped) return;
    const [first] = this.#tasks.get(taskId)?.history ?? [];
    if (first !== undefined) this.#repliedTo.add(first.messageId);
    this.#tasks.delete(taskId);
    this.#replies.set(taskId, reply);
  }

  lives(node: string, ttlMs: number): void {
    this.#nodes.set(node, this.#world.clock.now() + ttlMs);
  }

  /** A read of a task returned this record. */
  read(taskId: string, stored: StoredTask | undefined): void {
    if (stored === undefined) {
      if (this.#tasks.has(taskId)) this.#world.fail(`task ${taskId} is lost`);
    } else this.#compare(taskId, stored.record);
  }

  #isHeld(task: TaskModel | undefined): boolean {
    return task?.node !== undefined && (this.#nodes.get(task.node) ?? 0) > this.#world.clock.now();
  }

  #judge(task: TaskModel | undefined, operation: Operation): Verdict {
    const verdict: Verdict = task === undefined ? { kind: 'rejected' } : reduce(task, operation);
    if (verdict.kind === 'illegal') this.#world.fail(`${task?.id}: broken rule: ${verdict.why}`);
    return verdict;
  }

  #record(before: TaskModel, { journal = [], status }: TaskWrite): void {
    const turn = before.journal.filter(({ kind }) => kind === 'turn').length;
    for (const { kind, key, body } of journal satisfies readonly JournalEntry[]) {
      this.#recorded.set([before.id, turn, kind, key].join(' '), { body, fence: before.fence });
      // A question that is not shown yet has its parts in the journal.
      const { parts = status?.message?.parts ?? [] } = (body ?? {}) as { readonly parts?: readonly Part[] };
      const [part] = parts;
      if (kind !== 'question' || part === undefined || !('text' in part)) continue;
      const name = [before.id, turn, part.text].join(' ');
      this.#questions.set(name, (this.#questions.get(name) ?? new Set()).add(key));
    }
  }

  #remember(owner: string, taskId: string, idempotency: NewTask['idempotency']): void {
    if (idempotency !== undefined)
      this.#keys.set(`${owner} ${idempotency.key}`, { taskId, digest: idempotency.digest });
  }

  #compare(taskId: string, record: TaskRecord): void {
    const task = this.#tasks.get(taskId);
    const wrong = task === undefined ? 'there must be none' : difference(task, record);
    if (wrong !== undefined) this.#world.fail(`${taskId} as stored: ${wrong}`);
  }

  #expect<T>(what: string, expected: T, actual: T): void {
    if (expected !== actual) this.#world.fail(`${what}: must be ${String(expected)}, was ${String(actual)}`);
  }
}
