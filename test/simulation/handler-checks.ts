import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import type { TaskRecord } from '../../src/store/store.ts';
import type { TaskStatus } from '../../src/model/task.ts';
import type { ExpectedStore } from './expected-store.ts';
import { foldArtifacts, statusesOf, type TaskModel } from './model-task.ts';
import type { SimNode } from './node.ts';
import type { World } from './world.ts';

/** The clocks of nodes differ from that of the store by at most this: a timer of one node may be early for another. */
export const MAX_SKEW_MS = 15;

/** The longest time that subscription a task before its run may take. */
const SLOW_MS = 1500;

interface Granted extends Pick<TaskRecord, 'fence' | 'attempts'> {
  readonly time: number;
}

/** One call of a handler. */
export interface HandlerRun {
  readonly node: SimNode;
  readonly taskId: string;
  readonly turn: number;
  /** Counts the calls for this turn. */
  readonly attempt: number;
  /** The fencing number of the last lease that its run may know of. */
  fence: number;
}

/** An output in the order of the program: a chunk of an artifact, or a status. */
export interface Emitted {
  readonly artifact: string | undefined;
  readonly text: string;
  readonly append: boolean;
}

/** The outputs of an attempt that reached its end. */
interface Emissions {
  readonly outputs: readonly Emitted[];
  /** The order of the outputs is that of the program. */
  readonly isOrdered: boolean;
  /** Every attempt emits the same. */
  readonly isSteady: boolean;
}

export interface HandlerChecksOptions {
  readonly world: World;
  readonly expectedStore: ExpectedStore;
  readonly maxAttempts: number;
}

/** Checks everything that handlers see and do against the expected store. */
export class HandlerChecks {
  readonly #world: World;
  readonly #expectedStore: ExpectedStore;
  readonly #maxAttempts: number;
  /** The leases of each node and task, with which a run may start. */
  readonly #leases = new Map<string, Granted[]>();
  readonly #active = new Map<string, HandlerRun>();
  readonly #attempts = new Map<string, number>();
  /** The outputs of executions of steps, by their marks. */
  readonly #outputs = new Map<string, readonly Emitted[]>();
  /** By task and lease. */
  readonly #emissions = new Map<string, Emissions>();
  readonly counts = { 'checked outputs': 0, 'checked after a replay': 0 };
  #executions = 0;

  constructor({ world, expectedStore, maxAttempts }: HandlerChecksOptions) {
    this.#world = world;
    this.#expectedStore = expectedStore;
    this.#maxAttempts = maxAttempts;
  }

  /** A node learns that it may run a task. */
  leased(node: SimNode, record: TaskRecord): void {
    const at = `${node.name} ${record.id}`;
    // A node whose lease has expired may claim its own task again, and start with any of these leases.
    const others = record.attempts === 1 ? [] : (this.#leases.get(at) ?? []);
    this.#leases.set(at, [...others, { ...record, time: this.#world.time }]);
    const handlerRun = this.#active.get(at);
    if (handlerRun !== undefined) handlerRun.fence = record.fence;
  }

  begins(node: SimNode, taskId: string, messageId: string, mustNotRunTwice: boolean): HandlerRun {
    const at = `${node.name} ${taskId}`;
    const leases = this.#leases.get(at) ?? [];
    const lease = leases.find(({ time }) => time > this.#world.time - SLOW_MS) ?? leases.at(-1);
    if (lease === undefined) this.#fail(`${taskId} is run without a lease`);
    if ((lease?.attempts ?? 0) > this.#maxAttempts) this.#fail(`${taskId} is tried too often`);
    const turn = this.#turnOf(taskId, messageId);
    const attempt = (this.#attempts.get(`${taskId} ${turn}`) ?? 0) + 1;
    this.#attempts.set(`${taskId} ${turn}`, attempt);
    this.#world.note(() => `${node.name} HANDLER of ${taskId} begins turn ${turn}, attempt ${attempt}`);
    if (attempt > 1 && mustNotRunTwice) this.#fail(`${taskId} is run twice, which its agent forbids`);
    const handlerRun = { node, taskId, turn, attempt, fence: lease?.fence ?? 0 };
    this.#active.set(at, handlerRun);
    return handlerRun;
  }

  /** A step runs. Returns a mark that no other execution has. */
  executes({ node, taskId, turn, fence }: HandlerRun, key: string): string {
    this.#world.note(() => `${node.name} STEP ${key} of ${taskId}, turn ${turn}`);
    const name = `${taskId}:${turn}:`;
    if (!key.startsWith(name)) this.#fail(`a step of ${taskId}, turn ${turn}, has the key ${key}`);
    if (!this.#expectedStore.wasCreated(taskId)) this.#fail(`step ${key} runs for a task that is not stored`);
    const record = this.#expectedStore.recorded(taskId, turn, 'step', key.slice(name.length));
    // A node that has lost its lease and does not know it yet cannot know of the record either.
    if (record !== undefined && record.fence <= fence) this.#fail(`step ${key} is recorded and runs again`);
    return `${key} ${++this.#executions}`;
  }

  publishes(mark: string, outputs: readonly Emitted[]): void {
    this.#outputs.set(mark, outputs);
  }

  outputsOf(mark: string): readonly Emitted[] {
    return this.#outputs.get(mark) ?? [];
  }

  /** A handler gets the result of a step: it must be stored by then, and be the stored one. */
  got({ taskId, turn }: HandlerRun, key: string, result: JsonValue): void {
    const record = this.#expectedStore.recorded(taskId, turn, 'step', key);
    if (record === undefined) this.#fail(`the result of step ${key} of ${taskId} was not stored`);
    else if (!isDeepStrictEqual(resultOf(record.body), result))
      this.#fail(`step ${key} of ${taskId} gave another result than the stored one`);
  }

  /** A handler has reached its end, with the outputs of itself and of its recorded steps. */
  emitted(
    { taskId, turn, fence }: HandlerRun,
    outputs: readonly Emitted[],
    how: Pick<Emissions, 'isOrdered' | 'isSteady'>,
  ): void {
    if (turn === 0) this.#emissions.set(`${taskId} ${fence}`, { outputs, ...how });
  }

  checkOutputs(task: TaskModel): void {
    const emissions = this.#emissions.get(`${task.id} ${task.fence}`);
    if (emissions === undefined || task.isCanceling || !isEndOfHandler(task.status)) return;
    const wrong = wrongOutputs(task, emissions, this.#expectedStore.recordedSteps(task.id, 0).map(markOf));
    if (wrong !== undefined) this.#fail(`${task.id} does not show what was emitted: ${wrong}`);
    this.counts['checked outputs']++;
    if (task.fence > 1) this.counts['checked after a replay']++;
  }

  answered({ taskId, turn }: HandlerRun, question: string, answer: JsonObject): void {
    const records = this.#expectedStore.answersTo(taskId, turn, question);
    if (records.length === 0) this.#fail(`the answer to "${question}" of ${taskId} was not stored`);
    else if (!records.some((body) => isDeepStrictEqual({ ...body, ...answer }, body)))
      this.#fail(`"${question}" of ${taskId} got another answer than the stored one`);
  }

  woke({ node, taskId, turn }: HandlerRun, nth: number): void {
    const record = this.#expectedStore.recorded(taskId, turn, 'sleep', String(nth));
    if (record === undefined) this.#fail(`sleep ${nth} of ${taskId} was not stored`);
    else if ((record.body as { readonly until: number }).until > node.clock.now() + 2 * MAX_SKEW_MS)
      this.#fail(`sleep ${nth} of ${taskId} was too short`);
  }

  /** The winner of a race must be the same at each attempt, once a step that follows it is recorded. */
  went({ taskId }: HandlerRun, way: string, stored: string): void {
    // An answer may be stored just before the end of the sleep, while the run receives it just after.
    const isClose = way === 'by the answer' && stored === 'by the clock';
    if (way !== stored && !isClose) this.#fail(`${taskId} went ${way}, and had gone ${stored} before`);
  }

  /** The messages of the first n reads of a handler: the same at each attempt. */
  read({ taskId, turn }: HandlerRun, nth: number, all: readonly string[], isEmpty: boolean): void {
    const task = this.#expectedStore.task(taskId);
    const messages = (task?.journal ?? []).flatMap(({ kind, key }) => (kind === 'message' ? [key] : []));
    if (new Set(all).size !== all.length) this.#fail(`a message was read twice by ${taskId}`);
    if (all.some((id) => !messages.includes(id))) this.#fail(`a message was read by ${taskId} that is not stored`);
    if (!isEmpty && this.#expectedStore.recorded(taskId, turn, 'read', String(nth)) === undefined)
      this.#fail(`read ${nth} of ${taskId} was not stored`);
  }

  #turnOf(taskId: string, messageId: string): number {
    const turns = (this.#expectedStore.task(taskId)?.journal ?? []).filter(({ kind }) => kind === 'turn');
    const messages = turns.map(({ body }) => (body as unknown as { message: { messageId: string } }).message.messageId);
    return messages.indexOf(messageId) + 1;
  }

  #fail(what: string): void {
    this.#world.fail(what);
  }
}

/** The result of a step without its outputs. */
function resultOf(body: JsonValue): JsonValue {
  const { outputs: _outputs, workedMs: _workedMs, ...result } = body as JsonObject;
  return result;
}

/** The handler has decided about the end and did not throw. */
function isEndOfHandler(status: TaskStatus): boolean {
  if (status.state === 'TASK_STATE_FAILED') return statusText(status) === 'it did not work';
  return status.state === 'TASK_STATE_COMPLETED' || status.state === 'TASK_STATE_REJECTED';
}

/** The execution whose result is recorded. */
function markOf(body: JsonValue): string {
  const { value, error } = body as { readonly value?: string; readonly error?: { readonly message: string } };
  return value ?? error?.message ?? '';
}

function wrongOutputs(
  task: TaskModel,
  { outputs, isOrdered, isSteady }: Emissions,
  recorded: readonly string[],
): string | undefined {
  const expected = new Map<string, string[]>();
  for (const { artifact, text, append } of outputs)
    if (artifact !== undefined) expected.set(artifact, [...(append ? (expected.get(artifact) ?? []) : []), text]);
  for (const [artifact, texts] of textsOf(task)) {
    const due = expected.get(artifact) ?? [];
    expected.delete(artifact);
    const order = (all: readonly string[]): readonly string[] => (isOrdered ? all : [...all].sort());
    // An attempt that does not call a recorded step again keeps what the step has published.
    const isRight = isSteady
      ? due.length === 0 || isDeepStrictEqual(order(texts), order(due))
      : without(texts, due)?.every((text) => due.length === 0 || isOfRecordedStep(text, recorded)) === true;
    if (!isRight) return `${artifact} is ${JSON.stringify(texts)}, and must be ${JSON.stringify(due)}`;
  }
  if (expected.size > 0) return `there is no ${[...expected.keys()].join(', ')}`;
  const said = statusesOf(task.log).map(statusText);
  for (const { artifact, text } of outputs) {
    const times = artifact === undefined ? said.filter((status) => status === text).length : 1;
    // A text with the mark of an execution cannot come from another one.
    if (times === 0 || (times > 1 && /^out \d+\../u.test(text)))
      return `the status ${text} was published ${times} times`;
  }
  return undefined;
}

/** Artifacts show the chunks of a text as one: this marks the end of each chunk. */
const END = '|';

export function ended(text: string): string {
  return `${text}${END}`;
}

function textsOf(task: TaskModel): readonly (readonly [artifact: string, texts: readonly string[]])[] {
  return foldArtifacts(task.log).map(({ artifactId, parts }) => [
    artifactId,
    parts.flatMap((part) => ('text' in part ? part.text.split(END).slice(0, -1) : [])),
  ]);
}

/** Outputs of a step through the context of the task have no mark of their execution. */
function isOfRecordedStep(text: string, recorded: readonly string[]): boolean {
  const [, mark] = /^out \d+\.(.*)$/u.exec(text) ?? [];
  return mark === '' || (mark !== undefined && recorded.includes(mark));
}

/** Some texts without others; undefined if one of the others is missing. */
function without(texts: readonly string[], others: readonly string[]): readonly string[] | undefined {
  const left = [...texts];
  for (const text of others) {
    const index = left.indexOf(text);
    if (index < 0) return undefined;
    left.splice(index, 1);
  }
  return left;
}

function statusText({ message }: TaskStatus): string | undefined {
  const [part] = message?.parts ?? [];
  return part !== undefined && 'text' in part ? part.text : undefined;
}
