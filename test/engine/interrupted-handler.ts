/** Runs handlers that are interrupted at points of their own choice, and records what subscribers see. */
import { expect } from 'vitest';
import type { StepContext, TaskContext } from '../../src/engine/handler.ts';
import type { Output } from '../../src/engine/output/output.ts';
import { ArtifactFold } from '../../src/model/artifact-fold.ts';
import type { Task } from '../../src/model/task.ts';
import { ANN, bodies, collect, type Harness, harness, type HarnessOptions, until } from './harness.ts';

/** The process crashes, is replaced by a new one, or evicts the run from its memory. */
export type Interruption = 'none' | 'crash' | 'restart' | 'eviction';
/** Those that end a process. */
export const ENDS = ['crash', 'restart'] as const;
export const INTERRUPTIONS: readonly Interruption[] = ['none', 'crash', 'restart', 'eviction'];

export interface ScriptContext extends TaskContext {
  /** 1 before the first interruption, then 2, 3 … */
  readonly life: number;
  /** Interrupts the handler here in the given life, in the first one if not set. */
  readonly interrupt: (life?: number) => Promise<void>;
}

export type Script = (context: ScriptContext) => AsyncGenerator<Output, Output | void> | Promise<Output | void>;

export interface ScriptResult {
  readonly task: Task;
  /** The text of each artifact after every event. */
  readonly views: readonly Readonly<Record<string, string>>[];
  /** The texts of all statuses, in order. */
  readonly statuses: readonly string[];
  readonly log: Harness['log'];
  /** The text of each artifact at the end. */
  readonly texts: Readonly<Record<string, string>>;
}

export interface ScriptOptions extends HarnessOptions {
  readonly how: Interruption;
  /** How often it is interrupted. */
  readonly interruptions?: number;
}

/** Runs a script to its end, with its interruptions. */
export async function runScript(
  script: Script,
  { how, interruptions = 1, ...options }: ScriptOptions,
): Promise<ScriptResult> {
  let life = 1;
  let reached = 0;
  const interrupt = async ({ ask }: TaskContext, own: number, at: number): Promise<void> => {
    if (how === 'eviction') {
      await ask(`Continue after ${at}?`);
    } else if (how !== 'none' && own === at) {
      reached = at;
      await new Promise(() => {});
    }
  };
  let node = await harness(
    async function* run(ctx) {
      const own = life;
      const result = script({ ...ctx, life: own, interrupt: (at = 1) => interrupt(ctx, own, at) });
      return Symbol.asyncIterator in result ? yield* result : result;
    },
    { ...options, ...(how === 'eviction' && { maxSuspended: 0 }) },
  );
  const { id } = await node.task('go', { returnImmediately: true });
  const state = async (): Promise<string> => {
    node.clock.advance(50);
    return (await node.engine.get(ANN, id)).status.state;
  };
  const lives = how === 'none' ? 1 : interruptions + 1;
  while (life < lives) {
    if (how === 'eviction') {
      await until(async () => (await state()) === 'TASK_STATE_INPUT_REQUIRED');
      life++;
      await node.reply(await node.engine.get(ANN, id), 'yes', { returnImmediately: true });
    } else {
      await until(async () => (await state()) !== '' && reached === life);
      await untilStored(node);
      life++;
      node = how === 'crash' ? await node.crash() : await node.restart();
    }
  }
  await until(async () => /COMPLETED|FAILED/u.test(await state()));
  const task = await node.engine.get(ANN, id);
  const seen = watched(bodies(await collect(node.engine.subscribe(ANN, id, { after: 1 }))));
  return { ...seen, task, log: node.log, texts: textsOf(task.artifacts ?? []) };
}

/** Nothing that was emitted waits to be stored. The next write begins in the turn in which the last one has ended. */
async function untilStored({ isWriting }: Harness): Promise<void> {
  await until(async () => {
    for (let turn = 0; turn < 10; turn++) {
      if (isWriting()) return false;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return true;
  });
}

function watched(events: ReturnType<typeof bodies>): Pick<ScriptResult, 'views' | 'statuses'> {
  const fold = new ArtifactFold();
  const views: Record<string, string>[] = [];
  const statuses: string[] = [];
  for (const event of events) {
    if ('artifactUpdate' in event) fold.apply(event.artifactUpdate);
    else if ('statusUpdate' in event && event.statusUpdate.status.state === 'TASK_STATE_WORKING')
      statuses.push(
        ...(event.statusUpdate.status.message === undefined ? [] : [textOf(event.statusUpdate.status.message.parts)]),
      );
    views.push(textsOf(fold.artifacts()));
  }
  return { views, statuses };
}

function textsOf(artifacts: NonNullable<Task['artifacts']>): Record<string, string> {
  return Object.fromEntries(artifacts.map(({ artifactId, parts }) => [artifactId, textOf(parts)]));
}

function textOf(parts: readonly object[]): string {
  return parts.map((part) => ('text' in part ? String(part.text) : '')).join('');
}

/** Once it was published, a text is part of every later view. */
export function expectKept({ views }: ScriptResult, text: string, artifact = 'response'): void {
  const seen = views.map((view) => view[artifact]?.includes(text) === true);
  expect(seen, `${text} was never published`).toContain(true);
  expect(seen.slice(seen.indexOf(true)), `${text} in ${JSON.stringify(views)}`).not.toContain(false);
}

/** Whether a step publishes through its own context or through that of the task. */
export type Via = 'step' | 'task';

export function outputsOf(
  via: Via,
  context: ScriptContext,
  step: StepContext,
): Pick<StepContext, 'artifact' | 'status'> {
  return via === 'step' ? step : context;
}

/** Publishes texts in a step, one by one. */
export async function write(
  { artifact }: Pick<StepContext, 'artifact'>,
  name: string,
  ...texts: string[]
): Promise<void> {
  for (const text of texts) await artifact(name).append(text);
}
