import type { JsonValue } from '../../model/json.ts';
import { isObject, isSet } from '../codec.ts';
import type { Profile } from './profile.ts';

/** The name, with as many marks behind it as it takes to be nobody else's. */
function freeName(name: string, taken: ReadonlySet<JsonValue | undefined>): string {
  return taken.has(name) ? freeName(`${name}'`, taken) : name;
}

/**
 * Artifacts without an id, as one framework has them: a name and parts. Their place in the task becomes their id, which is
 * the same in every later reading of it, so that a reader of snapshots knows them again.
 */
export const artifactIds: Profile = {
  name: 'artifact-ids',
  repairs: [
    {
      code: 'artifact-id-missing',
      seam: 'task',
      expected: 'the member artifactId in every artifact',
      instead: 'took its place in the list',
      apply({ artifacts, ...task }) {
        if (!Array.isArray(artifacts)) return undefined;
        const list: readonly JsonValue[] = artifacts;
        const taken = new Set(list.map((artifact) => (isObject(artifact) ? artifact['artifactId'] : undefined)));
        const named = list.map((artifact, index) =>
          isObject(artifact) && !isSet(artifact['artifactId'])
            ? { ...artifact, artifactId: freeName(`artifact-${index}`, taken) }
            : artifact,
        );
        return named.some((artifact, index) => artifact !== list[index]) ? { ...task, artifacts: named } : undefined;
      },
    },
  ],
};
