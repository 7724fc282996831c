import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { textOfParts } from '../../../model/part-text.ts';
import type { Middleware } from '../../../node/express.ts';
import type { OpenTelemetry, OtelSpan, OtelSpanContext } from '../../../observe/opentelemetry.ts';
import type { Appended, Created, NewTask, Store, TaskWrite } from '../../../store/store.ts';
import { now } from '../../now.ts';
import { oneLine, screen } from '../../output/screen.ts';

const MAX_TEXT = 60;
/** The end of an id differs between tasks that were created together. */
const ID_CHARACTERS = 8;

interface Request {
  /** The operation of the protocol, such as `SendMessage`. */
  operation: string | undefined;
  /** The code of the error, which JSON-RPC sends with the status 200. */
  error: string | undefined;
}

const requests = new AsyncLocalStorage<Request>();

/** Prints a line for each request when its response has ended. */
export const requestLog: Middleware = (incoming, outgoing, next) => {
  const startedAt = now();
  const request: Request = { operation: undefined, error: undefined };
  const [path = '/'] = (incoming.url ?? '/').split('?');
  outgoing.once('close', () => {
    const outcome = outgoing.writableFinished ? String(outgoing.statusCode) : 'disconnected';
    const words = [request.operation ?? `${incoming.method} ${path}`, outcome, request.error];
    const ms = Math.round(now() - startedAt);
    screen.notice(`  ${words.filter((word) => word !== undefined).join('  ')}  ${ms} ms`, 'dim');
  });
  requests.run(request, next);
};

/** Notes the operation of the current request, and creates no spans. */
export const operationNotes: OpenTelemetry = {
  ROOT_CONTEXT: {},
  context: { active: () => ({}), with: (_, work) => work() },
  trace: {
    getTracer: () => ({
      startSpan(_, options, context) {
        const { attributes } = options as { readonly attributes: Readonly<Record<string, unknown>> };
        const operation = attributes['a2a.operation'];
        const request = requests.getStore();
        if (request === undefined || typeof operation !== 'string') return spanOf(context, () => {});
        request.operation = operation;
        return spanOf(context, (code) => (request.error = code));
      },
    }),
    getSpanContext: (context) => (context as Partial<Traced>).spanContext,
    setSpan: (context) => context,
    setSpanContext: (_, spanContext) => ({ spanContext }) satisfies object,
  },
};

interface Traced {
  readonly spanContext: OtelSpanContext;
}

/** @param onError Called with the code of an error. */
function spanOf(context: unknown, onError: (code: string) => void): OtelSpan {
  const { spanContext } = context as Partial<Traced>;
  const traceId = spanContext?.traceId ?? randomBytes(16).toString('hex');
  const own = { traceFlags: 0, ...spanContext, traceId, spanId: randomBytes(8).toString('hex') };
  return {
    spanContext: () => own,
    setAttribute: (name, value) => {
      if (name === 'error.type') onError(String(value));
    },
    setStatus: () => {},
    end: () => {},
  };
}

/** The same store. It prints a line for each new task and each change of its state. */
export function withTaskLog(store: Store): Store {
  const states = new Map<string, string>();
  const print = (taskId: string, state: string, text: string): void => {
    const line = `${state}  ${text}`;
    if (states.get(taskId) === line) return;
    states.set(taskId, line);
    if (ENDED.has(state)) states.delete(taskId);
    screen.notice(`  task ${taskId.slice(-ID_CHARACTERS)}  ${line}`.trimEnd(), ENDED.has(state) ? 'green' : 'cyan');
  };
  // A task can start before it is stored, and a write to it can return before its creation does.
  const creations = new Map<string, Promise<void>>();
  const create: Store['create'] = (task, accepted) => {
    const creating = store.create(task, accepted);
    const noted = creating
      .then(
        (created) => noteCreated(task, created, print),
        () => {},
      )
      .finally(() => creations.delete(task.id));
    creations.set(task.id, noted);
    return creating;
  };
  const append: Store['append'] = async (write) => {
    const appended = await store.append(write);
    const creating = creations.get(write.taskId);
    const note = (): void => noteAppended(write, appended, print);
    if (creating === undefined) note();
    else void creating.then(note);
    return appended;
  };
  const observed: Partial<Store> = { create, append };
  return new Proxy(store, {
    get(target, name): unknown {
      if (Object.hasOwn(observed, name)) return observed[name as keyof Store];
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'rejected']);

type Print = (taskId: string, state: string, text: string) => void;

function noteCreated({ id, status, message }: NewTask, { kind }: Created, print: Print): void {
  if (kind === 'created') print(id, shortState(status.state), shortText(textOfParts(message.parts)));
}

function noteAppended({ taskId, status }: TaskWrite, { kind }: Appended, print: Print): void {
  if (kind !== 'appended' || status === undefined) return;
  print(taskId, shortState(status.state), shortText(textOfParts(status.message?.parts ?? [])));
}

function shortState(state: string): string {
  return state.slice('TASK_STATE_'.length).toLowerCase().replaceAll('_', '-');
}

function shortText(text: string): string {
  const line = oneLine(text);
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}
