import type { Call } from '../../engine/calls/call.ts';
import type { Inbox, IncomingMessage, Step, StepContext, StepOptions, TaskContext } from '../../engine/handler.ts';
import { isAsyncIterable } from '../../engine/run/drive.ts';
import type { Agent } from '../../agent/agent.ts';

type StepFunction = (step: StepContext) => unknown;

/** The activity of the handler of one task. */
interface Activity {
  /** Functions of steps that run. A function that waits for an inner step does not count. */
  working: number;
  /** Calls of `step`, `sleep`, `ask`, `authorize`, `call` and the inbox without a result. */
  waiting: number;
  /** Set if the handler took too long for a test. Any call of the handler clears it. */
  isStalled: boolean;
}

/** Observes the handlers of an agent: whether each one works, or only waits for the clock or its caller. */
export class HandlerActivity {
  readonly #tasks = new Map<string, Activity>();

  /** The same agent, with an observed handler. */
  observe(agent: Agent): Agent {
    return {
      ...agent,
      run: (context) => {
        const activity = { working: 0, waiting: 0, isStalled: false };
        this.#tasks.set(context.taskId, activity);
        return agent.run(observedContext(context, activity));
      },
    };
  }

  /** Whether the handler of a task waits for the clock or its caller. */
  isWaiting(taskId: string): boolean {
    const { working = 0, waiting = 0, isStalled = false } = this.#tasks.get(taskId) ?? {};
    return isStalled || (waiting > 0 && working === 0);
  }

  /** Treats handlers as waiting until they do something. */
  stall(taskIds: readonly string[]): void {
    for (const taskId of taskIds) {
      const activity = this.#tasks.get(taskId);
      if (activity !== undefined) activity.isStalled = true;
    }
  }
}

/** A proxy, because computed members of a context must be read from the context itself. */
function observedContext(context: TaskContext, activity: Activity): TaskContext {
  const waiting = <T>(result: Promise<T>): Promise<T> => whileWaiting(activity, result);
  const observed: Record<PropertyKey, unknown> = {
    step: observedStep(context.step, activity),
    sleep: (ms: number) => waiting(context.sleep(ms)),
    ask: (...args: Parameters<TaskContext['ask']>) => waiting(context.ask(...args)),
    authorize: (...args: Parameters<TaskContext['authorize']>) => waiting(context.authorize(...args)),
    call: (...args: Parameters<TaskContext['call']>) => waiting(context.call(...args)),
    startCall: (...args: Parameters<TaskContext['startCall']>) =>
      waiting(context.startCall(...args)).then(observedCall),
    inbox: observedInbox(context.inbox, waiting),
  };
  const observedCall = (call: Call): Call => ({ ...call, result: (options) => waiting(call.result(options)) });
  return new Proxy(context, {
    get: (target, name): unknown =>
      Object.hasOwn(observed, name) ? observed[name] : Reflect.get(target, name, target),
  });
}

/** Returns the same promise, because the engine has marked it as handled. */
function whileWaiting<T>(activity: Activity, result: Promise<T>): Promise<T> {
  activity.waiting++;
  activity.isStalled = false;
  const end = (): void => {
    activity.waiting--;
    activity.isStalled = false;
  };
  result.then(end, end);
  return result;
}

function observedStep(step: Step, activity: Activity): Step {
  return (name: string, work: StepFunction, options?: StepOptions): Promise<never> => {
    const run = typeof work === 'function' ? (context: StepContext) => working(work, context, activity) : work;
    return whileWaiting(activity, step(name, run, options) as Promise<never>);
  };
}

/** Runs the function of a step. It counts as working unless it waits for an inner step. */
function working(work: StepFunction, context: StepContext, activity: Activity): unknown {
  let inner = 0;
  const count = (by: number): void => {
    activity.working += by;
  };
  const innerStep = observedStep(context.step, activity) as (...args: unknown[]) => Promise<unknown>;
  const step = (...args: unknown[]): Promise<unknown> => {
    if (inner++ === 0) count(-1);
    const end = (): void => {
      if (--inner === 0) count(1);
    };
    const result = innerStep(...args);
    result.then(end, end);
    return result;
  };
  const own = new Proxy(context, {
    get: (target, name): unknown => (name === 'step' ? step : Reflect.get(target, name, target)),
  });
  const end = (): void => count(-1);
  count(1);
  try {
    const result = work(own);
    if (isAsyncIterable(result)) return drained(result, end);
    if (isPromise(result)) result.then(end, end);
    else end();
    return result;
  } catch (error) {
    end();
    throw error;
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

async function* drained(outputs: AsyncIterable<unknown, unknown>, end: () => void): AsyncGenerator<unknown, unknown> {
  try {
    return yield* outputs;
  } finally {
    end();
  }
}

function observedInbox(inbox: Inbox, waiting: <T>(result: Promise<T>) => Promise<T>): Inbox {
  return {
    take: () => inbox.take(),
    [Symbol.asyncIterator](): AsyncIterator<IncomingMessage> {
      const messages = inbox[Symbol.asyncIterator]();
      return {
        next: () => waiting(messages.next()),
        return: async () => (await messages.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
