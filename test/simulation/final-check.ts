import { isDeepStrictEqual } from 'node:util';
import type { Artifact } from '../../src/model/artifact.ts';
import type { Store } from '../../src/store/store.ts';
import type { ExpectedStore } from './expected-store.ts';
import { foldArtifacts, type TaskModel } from './model-task.ts';
import type { World } from './world.ts';

/** At the end of a world the store must hold exactly what the model expects. */
export async function checkStore(world: World, expectedStore: ExpectedStore, store: Store): Promise<void> {
  for (const task of expectedStore.tasks) {
    const wrong = await differenceOf(task, store);
    if (wrong !== undefined) world.fail(`${task.id}, at the end: ${wrong}`);
  }
}

async function differenceOf(task: TaskModel, store: Store): Promise<string | undefined> {
  const stored = await store.read({ tenant: '', owner: task.owner }, task.id, { artifacts: true });
  if (stored === undefined) return 'it is gone';
  const { snapshot = '[]', tail = [] } = stored.artifacts ?? {};
  if (!isDeepStrictEqual(stored.history, task.history)) return 'another history';
  if (!isDeepStrictEqual(foldArtifacts(tail, JSON.parse(snapshot) as Artifact[]), foldArtifacts(task.log)))
    return 'snapshot and tail are not the fold of all events';
  const events = await store.events(task.id, 0, task.log.length + 1);
  const expected = task.log.map(({ kind, body }, i) => ({ number: i + 1, kind, body }));
  // Some worlds keep the events of a task only for a moment after its end; then all of them are removed at once.
  if (events.length > 0 && !isDeepStrictEqual(events, expected)) return 'another log';
  return undefined;
}
