import { isDeepStrictEqual } from 'node:util';
import type { Task } from '../../src/model/task.ts';
import type { Ledger } from './ledger.ts';
import { foldArtifacts, foldStatus, type TaskModel } from './model-task.ts';
import type { World } from './world.ts';

/** Judges the tasks that callers are shown. */
export class Views {
  readonly #world: World;
  readonly #ledger: Ledger;

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
  }

  /** How many events a task has: what is shown later must have them all. */
  versionOf(taskId: string | undefined): number {
    return (taskId === undefined ? undefined : this.#ledger.task(taskId))?.log.length ?? 0;
  }

  /** A view must be the fold of the log up to some number, and not up to an earlier one than was known. */
  check(what: string, view: Task, since: number): void {
    const task = this.#ledger.task(view.id);
    if (task === undefined || !task.isVisible) this.#world.fail(`${what} shows ${view.id}, which nobody may see`);
    else if (!this.#isStateOf(task, view, since))
      this.#world.fail(`${what} shows ${view.id} as it never was: ${JSON.stringify(view)}`);
    else if (!isBeginning(view.history ?? [], task.history))
      this.#world.fail(`${what} shows a history that ${view.id} never had`);
  }

  /** The task with exactly the events up to a number. */
  checkAt(what: string, view: Task, number: number): void {
    const task = this.#ledger.task(view.id);
    if (task === undefined || number > task.log.length || !isAt(task, view, number))
      this.#world.fail(`${what} shows ${view.id} at ${number} as it never was`);
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
