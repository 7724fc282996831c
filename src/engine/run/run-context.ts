import { A2AError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import type { Task } from '../../model/task.ts';
import type {
  Ask,
  AskOptions,
  AuthorizationRequest,
  AuthorizeOptions,
  Inbox,
  IncomingMessage,
  Question,
  StepOptions,
  TaskContext,
} from '../handler.ts';
import { artifactWriter, statusOutput } from '../output/artifact-writer.ts';
import { taskOf } from '../replay/event-body.ts';
import { filesOf, incoming } from './incoming.ts';
import { type TraceHeaders, traceHeaders, traceOf } from '../../observe/trace-context.ts';
import { conversationTurns } from '../tasks/conversation-turns.ts';
import { copyOf } from '../../support/json/json-value.ts';
import type { LoadedTask } from '../replay/load-task.ts';
import { emissionOf, type OutputContent } from '../output/output.ts';
import type { AnswerSchema } from '../../model/answer-schema.ts';
import { type AskedQuestion, prepareQuestion, type PreparedQuestion, withText } from '../questions/question.ts';
import { askUntilValid, toAnswerSchema } from '../questions/schema-question.ts';
import { isStandardSchema } from '../../model/standard-schema.ts';
import type { Call, CallMessage, CallOptions, CallReply } from '../calls/call.ts';
import type { RunCalls } from './calls.ts';
import type { RunInbox } from './inbox.ts';
import { markHandled, type RunPort } from './run-port.ts';
import type { RunSteps, StepFunction } from './steps.ts';
import type { Waits } from './waits.ts';
import type { Writable } from '../../support/writable.ts';
import type { TaskWriter } from '../write/task-writer.ts';

/** How many tasks `history` returns if `limit` is not set. */
const EARLIER_TASKS = 20;
/** How many turns `conversation` returns if `limit` is not set. */
const MAX_TURNS = 100;

/** The run behind a context, with its parts. Each part is created when it is first used. */
export interface ContextRun extends RunPort {
  readonly steps: RunSteps;
  readonly waits: Waits;
  readonly inbox: RunInbox;
  readonly calls: RunCalls;
  /** Throws if a call that may wait for days is made inside the function of a step. */
  assertOutsideStep(call: 'ask' | 'authorize' | 'sleep' | 'call' | 'startCall'): void;
}

/** Creates the context of a handler. */
export function createContext(run: ContextRun, task: LoadedTask, writer: TaskWriter): TaskContext {
  return new RunContext(run, task, writer);
}

/**
 * All members are own properties, and its functions do not use `this`, so that it can be destructured and copied. Computed
 * members use getters that all contexts share: getters per instance would give each context its own hidden class, which
 * took as long as everything else here.
 */
class RunContext implements TaskContext {
  readonly #run: ContextRun;
  readonly #task: LoadedTask;
  readonly #writer: TaskWriter;
  /** The caller that created the task. Copied on first use, because claims can be many and are rarely read. */
  #caller: TaskContext['caller'] | undefined;
  readonly message: TaskContext['message'];
  readonly text: string;
  readonly parts: readonly Part[];
  declare readonly files: TaskContext['files'];
  declare readonly task: Task;
  readonly taskId: string;
  readonly contextId: string;
  declare readonly caller: TaskContext['caller'];
  readonly tenant: string;
  readonly extensions: readonly string[];
  readonly metadata: JsonObject;
  readonly skillId: string | undefined;
  readonly acceptedOutputModes: readonly string[];
  readonly trace: TraceHeaders;
  declare readonly signal: AbortSignal;
  readonly inbox: TaskContext['inbox'];

  constructor(run: ContextRun, task: LoadedTask, writer: TaskWriter) {
    const { record, origin, trigger } = task;
    this.#run = run;
    this.#task = task;
    this.#writer = writer;
    this.message = incoming(trigger.message);
    this.text = this.message.text;
    this.parts = this.message.parts;
    this.taskId = record.id;
    this.contextId = record.contextId;
    this.tenant = record.tenant;
    this.extensions = [...(trigger.extensions ?? [])];
    this.metadata = copyOf(trigger.metadata ?? {});
    this.skillId = trigger.skillId ?? origin.skillId;
    this.acceptedOutputModes = [...origin.acceptedOutputModes];
    this.trace = traceHeaders(run.trace?.context ?? traceOf(record));
    this.inbox = new ContextInbox(run);
    Object.defineProperty(this, 'caller', RunContext.#callerCopy);
    Object.defineProperty(this, 'files', RunContext.#files);
    Object.defineProperty(this, 'task', RunContext.#currentTask);
    Object.defineProperty(this, 'signal', RunContext.#signal);
  }

  readonly history: TaskContext['history'] = ({ limit = EARLIER_TASKS } = {}) =>
    markHandled(this.#run, earlierTasks(this.#run, limit));

  readonly conversation: TaskContext['conversation'] = ({ limit = MAX_TURNS } = {}) =>
    markHandled(this.#run, conversationOf(this.#run, this.#task, limit));

  readonly status: TaskContext['status'] = (status) => this.#publish(statusOutput(status));

  readonly artifact: TaskContext['artifact'] = (name) => artifactWriter(name, (output) => this.#publish(output));

  readonly reply: TaskContext['reply'] = (content) => {
    const parts = partsOf(content);
    this.#run.outputs.assertSize(parts);
    this.#run.conclude({ kind: 'reply', parts });
    return undefined;
  };

  readonly reject: TaskContext['reject'] = (reason) => {
    const parts = reason === undefined ? [] : partsOf(reason);
    this.#run.outputs.assertSize(parts);
    this.#run.conclude({ kind: 'end', state: 'TASK_STATE_REJECTED', parts });
    return undefined;
  };

  readonly requireSkill: TaskContext['requireSkill'] = (id) => requireSkill(this.#run, this.#task, id);

  readonly ask = ((question: Question, options?: AskOptions) =>
    markHandled(this.#run, answered(this.#run, question, options ?? {}))) as Ask;

  readonly authorize: TaskContext['authorize'] = (request, options = {}) =>
    markHandled(this.#run, authorized(this.#run, request, options));

  readonly step: TaskContext['step'] = (name: string, work: StepFunction, options?: StepOptions) =>
    markHandled(this.#run, this.#run.steps.step(name, work, options)) as Promise<never>;

  readonly sleep: TaskContext['sleep'] = (ms) => markHandled(this.#run, slept(this.#run, ms));

  readonly call: TaskContext['call'] = (peer, message, options = {}) =>
    markHandled(this.#run, called(this.#run, peer, message, options));

  readonly startCall: TaskContext['startCall'] = (peer, message, options = {}) =>
    markHandled(this.#run, startedCall(this.#run, peer, message, options));

  #publish(output: unknown): Promise<void> {
    return markHandled(this.#run, publish(this.#run, output));
  }

  static readonly #callerCopy = shared(function caller(this: RunContext): TaskContext['caller'] {
    return (this.#caller ??= copyOf(this.#task.origin.caller));
  });

  static readonly #files = shared(function files(this: RunContext): TaskContext['files'] {
    const run = this.#run;
    const { maxTaskBytes: maxBytes } = run.agent.limits;
    const given = filesOf(this.message.parts, { fetchFile: run.engine.fetchFile, maxBytes, signal: run.signal });
    return given.map((file) => ({ ...file, bytes: () => markHandled(run, file.bytes()) }));
  });

  static readonly #currentTask = shared(function task(this: RunContext): Task {
    return currentTask(this.#task, this.#writer);
  });

  static readonly #signal = shared(function signal(this: RunContext): AbortSignal {
    return this.#run.signal;
  });
}

class ContextInbox implements Inbox {
  readonly #run: ContextRun;

  constructor(run: ContextRun) {
    this.#run = run;
  }

  readonly take = (): Promise<readonly IncomingMessage[]> => markHandled(this.#run, this.#run.inbox.take());

  readonly [Symbol.asyncIterator] = (): AsyncIterator<IncomingMessage> => this.#run.inbox[Symbol.asyncIterator]();
}

function shared(get: (this: RunContext) => unknown): PropertyDescriptor & ThisType<RunContext> {
  return Object.freeze({ get, enumerable: true, configurable: true });
}

async function ask(
  run: ContextRun,
  state: 'TASK_STATE_INPUT_REQUIRED' | 'TASK_STATE_AUTH_REQUIRED',
  question: Question,
  options: AskOptions,
  credential?: AskedQuestion['credential'],
): Promise<unknown> {
  const { timeoutMs = run.agent.limits.questionTtlMs } = options;
  if (!(timeoutMs > 0)) throw new RangeError(`timeoutMs: expected a number above 0, got ${timeoutMs}`);
  const prepare = (one: Question): PreparedQuestion => {
    const plain = copyOf(prepareQuestion(one, options));
    return credential === undefined ? plain : { ...plain, credential };
  };
  const prepared = prepare(question);
  const { was } = options;
  const earlier = was === undefined ? undefined : prepare(withText(question, was));
  run.outputs.assertSize(prepared.parts);
  return copyOf(await run.waits.ask(state, prepared, timeoutMs, earlier));
}

async function slept(run: ContextRun, ms: number): Promise<void> {
  run.assertOutsideStep('sleep');
  await run.waits.sleep(ms);
}

async function called(run: ContextRun, peer: string, message: CallMessage, options: CallOptions): Promise<CallReply> {
  run.assertOutsideStep('call');
  return run.calls.call(peer, message, options);
}

async function startedCall(run: ContextRun, peer: string, message: CallMessage, options: CallOptions): Promise<Call> {
  run.assertOutsideStep('startCall');
  return run.calls.start(peer, message, options);
}

async function answered(run: ContextRun, question: Question, options: AskOptions): Promise<unknown> {
  run.assertOutsideStep('ask');
  const { schema, was } = options;
  if (!isStandardSchema(schema)) {
    const answer = await ask(run, 'TASK_STATE_INPUT_REQUIRED', question, options);
    return options.as === 'message' ? incoming(answer as never) : answer;
  }
  const once = (text: Question, shown: AnswerSchema): Promise<unknown> =>
    ask(run, 'TASK_STATE_INPUT_REQUIRED', text, { ...options, schema: shown });
  if (options.as === 'message') return incoming((await once(question, toAnswerSchema(schema))) as never);
  if (typeof question !== 'string') throw new TypeError('A schema needs a question that is a string');
  if (was === undefined) return askUntilValid(question, schema, once);
  // A repeated question has the reason after its text.
  return askUntilValid(question, schema, (text, shown) =>
    ask(run, 'TASK_STATE_INPUT_REQUIRED', text, { ...options, schema: shown, was: was + text.slice(question.length) }),
  );
}

async function authorized(
  run: ContextRun,
  request: string | AuthorizationRequest,
  options: AuthorizeOptions,
): Promise<string> {
  run.assertOutsideStep('authorize');
  const text = typeof request === 'string' ? request : authorizationText(request);
  const { timeoutMs, sensitive = true, inBand = false, was } = options;
  const earlier = was === undefined || typeof request === 'string' ? was : authorizationText({ ...request, text: was });
  const asked: Writable<AskOptions> = { sensitive };
  if (timeoutMs !== undefined) asked.timeoutMs = timeoutMs;
  if (earlier !== undefined) asked.was = earlier;
  return (await ask(run, 'TASK_STATE_AUTH_REQUIRED', text, asked, inBand ? 'any' : 'marked')) as string;
}

/** Checks the caller that started the task. Follow-ups of the same owner do not change its permissions. */
function requireSkill(run: ContextRun, { origin, record }: LoadedTask, id: string): void {
  try {
    run.agent.access?.require(origin.caller, record.tenant, id);
  } catch (error) {
    const text = A2AError.is(error, 'PERMISSION_DENIED') ? error.message : undefined;
    if (text !== undefined) run.conclude({ kind: 'end', state: 'TASK_STATE_REJECTED', parts: [{ text }] });
    throw error;
  }
}

async function publish(run: ContextRun, output: unknown): Promise<void> {
  run.emit(output);
  await run.room();
}

function partsOf(content: string | OutputContent): readonly Part[] {
  return emissionOf(content).parts;
}

function authorizationText({ text, url, scopes = [] }: AuthorizationRequest): string {
  return [
    text,
    ...(url === undefined ? [] : [url]),
    ...(scopes.length === 0 ? [] : [`Scopes: ${scopes.join(', ')}`]),
  ].join('\n');
}

function currentTask({ record }: LoadedTask, writer: TaskWriter): Task {
  const { id, contextId } = record;
  const artifacts = writer.artifacts.artifacts();
  const metadata: JsonObject | undefined = writer.record.metadata;
  return copyOf({
    id,
    contextId,
    status: writer.status,
    ...(artifacts.length > 0 && { artifacts }),
    history: writer.conversation.messages,
    ...(metadata !== undefined && { metadata }),
  });
}

async function conversationOf(
  run: ContextRun,
  { record, trigger }: LoadedTask,
  limit: number,
): ReturnType<TaskContext['conversation']> {
  if (!(limit >= 1)) throw new RangeError(`limit: expected a number of at least 1, got ${limit}`);
  return copyOf(await run.reading(() => conversationTurns(run.engine.store, record, trigger, limit)));
}

async function earlierTasks(run: ContextRun, limit: number): Promise<readonly Task[]> {
  const { record, engine } = run;
  const query = { agents: [record.agent], contextId: record.contextId, limit: limit + 1, artifacts: true };
  const { tasks } = await run.reading(() => engine.store.list(record, query));
  return tasks
    .filter((other) => other.record.id !== record.id)
    .slice(0, limit)
    .map((other) => copyOf(taskOf(other)));
}
