import { isDeepStrictEqual } from 'node:util';
import type { Task } from '../../src/model/task.ts';
import type { ExpectedStore } from './expected-store.ts';
import { foldArtifacts, foldStatus, type TaskModel } from './model-task.ts';
import type { World } from './world.ts';

/** Checks the tasks that callers get. */
export class Views {
  readonly #world: World;
  readonly #expectedStore: ExpectedStore;

  constructor(world: World, expectedStore: ExpectedStore) {
    this.#world = world;
    this.#expectedStore = expectedStore;
  }

  /** How many events a task has: every later view must have them all. */
  versionOf(taskId: string | undefined): number {
    return (taskId === undefined ? undefined : this.#expectedStore.task(taskId))?.log.length ?? 0;
  }

  /** A view must be the fold of the log up to some number, and not up to a lower one than the caller knew. */
  check(what: string, view: Task, since: number): void {
    const task = this.#expectedStore.task(view.id);
    if (task === undefined || !task.isVisible) this.#world.fail(`${what} shows ${view.id}, which is not visible`);
    else if (!this.#isStateOf(task, view, since))
      this.#world.fail(`${what} shows ${view.id} in a state that it never had: ${JSON.stringify(view)}`);
    else if (!isBeginning(view.history ?? [], task.history))
      this.#world.fail(`${what} shows a history that ${view.id} never had`);
  }

  /** The task with exactly the events up to a number. */
  checkAt(what: string, view: Task, number: number): void {
    const task = this.#expectedStore.task(view.id);
    if (task === undefined || number > task.log.length || !isAt(task, view, number))
      this.#world.fail(`${what} shows ${view.id} at ${number} in a state that it never had`);
  }

  #isStateOf(task: TaskModel, view: Task, since: number): boolean {
    for (let number = task.log.length; number >= since; number--) if (isAt(task, view, number)) return true;
    return false;
  }
}

function isAt(task: TaskModel, { status, artifacts = [] }: Task, number: number): boolean {
  const log = task.log.slice(0, number);
  return (
    isDeepStrictEqual(foldStatus(log, task.firstStatus), status) && isDeepStrictEqual(foldArtifacts(log), artifacts)
  );
}

function isBeginning(part: NonNullable<Task['history']>, whole: NonNullable<Task['history']>): boolean {
  return part.every(({ messageId }, i) => whole[i]?.messageId === messageId);
}
