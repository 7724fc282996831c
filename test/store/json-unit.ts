/** The unit of work of `JsonStore`: its data as plain objects. */
import type * as port from '../../src/store/index.ts';
import { isOwnedBy } from '../../src/store/index.ts';

export type Message = port.StoredTask['history'][number];

export interface Delivery {
  config: port.PushConfigRecord;
  progress: port.PushProgress;
  fence: number;
  dueAt?: number | undefined;
  node?: string | undefined;
  disabled?: string | undefined;
}

export interface Task extends port.HeldTask {
  record: port.TaskRecord;
  /** The position among all created tasks. */
  order: number;
  alias?: string | undefined;
  history: Message[];
  events: port.TaskEvent[];
  journal: port.JournalRecord[];
  snapshot?: { text: string; upTo: number };
  deliveries: Delivery[];
}

interface Request extends port.KnownRequest, port.Scope {
  key: string;
  keepUntil: number;
  /** Whether its task still exists. */
  hasTask: boolean;
}

export interface Call extends port.NewCall {
  taskId: string;
  progress: port.CallRecord['progress'];
  createdAt: number;
  due?: number | undefined;
  fence: number;
  node?: string | undefined;
  failed?: string | undefined;
}

interface Letter extends port.NewDeadLetter {
  of: port.PushConfigName;
}

/** The content of the file. */
export interface Data {
  created: number;
  tasks: Record<string, Task>;
  requests: Request[];
  letters: Letter[];
  /** In the order in which they were added. */
  calls: Call[];
  /** The fairness key that got the last task, by agent. */
  positions: Record<string, string>;
}

export interface Clock {
  now(): number;
}

export class Unit implements port.PushConfigUnit<Task> {
  readonly data: Data;
  readonly #clock: Clock;
  /** A new process has no nodes, so all leases of the last one are free. */
  readonly nodes = new Map<string, number>();

  constructor(data: Data, clock: Clock) {
    this.data = data;
    this.#clock = clock;
  }

  find(taskId: string): Task | undefined {
    return Object.hasOwn(this.data.tasks, taskId) ? this.data.tasks[taskId] : undefined;
  }

  all(): readonly Task[] {
    return Object.values(this.data.tasks).sort((a, b) => a.order - b.order);
  }

  findRequest(scope: port.Scope, key: string): Request | undefined {
    return this.data.requests.find((one) => one.key === key && isSame(scope, one));
  }

  findAlias(scope: port.Scope, alias: string): string | undefined {
    return this.all().find((task) => task.alias === alias && isOwnedBy(scope, task.record))?.record.id;
  }

  readonly isAlive = (node: string | undefined): boolean =>
    node !== undefined && (this.nodes.get(node) ?? 0) > this.#clock.now();

  insert({ alias, message, event }: port.NewTask, record: port.TaskRecord): Task {
    const order = (this.data.created += 1);
    const events = event === undefined ? [] : [{ ...event, number: 1 }];
    return (this.data.tasks[record.id] = {
      record,
      order,
      alias,
      history: [message],
      events,
      journal: [],
      deliveries: [],
    });
  }

  addEvents({ record, events }: Task, added: readonly port.NewEvent[]): void {
    for (const [i, event] of added.entries()) events.push({ ...event, number: record.lastEvent + 1 + i });
  }

  addMessages({ history }: Task, messages: readonly Message[]): void {
    history.push(...messages);
  }

  addJournal({ record, journal }: Task, entries: readonly port.JournalEntry[]): void {
    for (const [i, entry] of entries.entries()) journal.push({ ...entry, number: record.lastJournal + 1 + i });
  }

  dropJournal(task: Task): void {
    task.journal = [];
  }

  reduceJournal(task: Task, kept: port.KeptJournal): void {
    task.journal = task.journal.map((one) => (kept === 'outline' || one.sensitive ? { ...one, body: null } : one));
  }

  update(task: Task, record: port.TaskRecord, { artifacts }: port.TaskWrite): void {
    if (artifacts !== undefined) task.snapshot = { text: artifacts, upTo: record.lastEvent };
    task.record = record;
  }

  replaceRecord(task: Task, record: port.TaskRecord): void {
    task.record = record;
  }

  remove({ record: { id } }: Task): void {
    delete this.data.tasks[id];
    for (const request of this.data.requests) if (request.taskId === id) request.hasTask = false;
    this.data.letters = this.data.letters.filter(({ of }) => of.taskId !== id);
    this.data.calls = this.data.calls.filter(({ taskId }) => taskId !== id);
  }

  rememberRequest({ record: { id, tenant, owner } }: Task, { key, digest, keepUntil }: port.Idempotency): void {
    this.data.requests.push({ tenant, owner, key, digest, taskId: id, keepUntil, hasTask: true });
  }

  answerRequests({ record: { id } }: Task, reply: Message): void {
    for (const request of this.data.requests) if (request.taskId === id) Object.assign(request, { reply });
  }

  pushConfigCount({ deliveries }: Task): number {
    return deliveries.length;
  }

  addPushConfig({ deliveries }: Task, config: port.PushConfigRecord, delivered: number): void {
    deliveries.push({
      config: structuredClone(config),
      progress: { told: delivered, attempts: 0, givenUp: 0 },
      fence: 0,
    });
  }

  replacePushConfig(task: Task, config: port.PushConfigRecord): boolean {
    const delivery = deliveryOf(task, config.id);
    if (delivery === undefined) return false;
    delivery.config = { ...structuredClone(config), createdAt: delivery.config.createdAt };
    this.beginAnew(task, delivery);
    return true;
  }

  beginAnew({ record }: Task, delivery: Delivery): void {
    const { told } = delivery.progress;
    delivery.progress = { told, attempts: 0, givenUp: 0 };
    delivery.fence += 1;
    delivery.node = undefined;
    delivery.disabled = undefined;
    delivery.dueAt = told < record.lastEvent ? this.#clock.now() : undefined;
  }

  openCall(callId: string): Call | undefined {
    return this.data.calls.find(({ id, failed }) => id === callId && failed === undefined);
  }

  hasCall({ record }: Task, callId: string): boolean {
    return this.openCall(callId)?.taskId === record.id;
  }

  isCallOpen(callId: string): boolean {
    return this.openCall(callId) !== undefined;
  }

  addCalls({ record }: Task, calls: readonly port.NewCall[]): void {
    for (const call of calls) {
      const { dueAt: due } = call;
      this.data.calls.push({ ...call, taskId: record.id, progress: {}, createdAt: this.#clock.now(), due, fence: 0 });
    }
  }

  removeCall(_task: Task, callId: string): void {
    this.data.calls = this.data.calls.filter(({ id }) => id !== callId);
  }

  makeCallsDue({ record }: Task): void {
    for (const { id, taskId } of this.data.calls) if (taskId === record.id) this.makeCallDue(id);
  }

  makeCallDue(callId: string): void {
    const call = this.openCall(callId);
    if (call !== undefined) call.due = Math.min(call.due ?? Infinity, this.#clock.now());
  }

  makePushesDue({ deliveries }: Task): void {
    for (const one of deliveries) if (one.disabled === undefined) one.dueAt ??= this.#clock.now();
  }

  readPushConfig(task: Task, id: string): port.PushConfigRecord {
    const delivery = deliveryOf(task, id);
    if (delivery === undefined) throw new Error(`There is no push config ${id}`);
    return structuredClone(delivery.config);
  }

  removePushConfig(task: Task, id: string): boolean {
    const place = task.deliveries.findIndex(({ config }) => config.id === id);
    if (place < 0) return false;
    task.deliveries.splice(place, 1);
    this.data.letters = this.data.letters.filter(({ of }) => of.taskId !== task.record.id || of.configId !== id);
    return true;
  }
}

export function deliveryOf({ deliveries }: Task, id: string): Delivery | undefined {
  return deliveries.find(({ config }) => config.id === id);
}

export function isSame(scope: port.Scope, { tenant, owner }: port.Scope): boolean {
  return tenant === scope.tenant && owner === scope.owner;
}
