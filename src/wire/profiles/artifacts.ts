import type { JsonObject, JsonValue } from '../../model/json.ts';
import { isObject, isSet } from '../codec.ts';
import type { Profile } from './profile.ts';

/** Appends apostrophes until the name is unique. */
function freeName(name: string, taken: ReadonlySet<JsonValue | undefined>): string {
  return taken.has(name) ? freeName(`${name}'`, taken) : name;
}

/**
 * Artifacts with a name and parts but without an id, as one framework sends them. The position in the task becomes the
 * id. It is the same in every snapshot of the task, so clients recognize the artifact.
 */
export const artifactIds: Profile = {
  name: 'artifact-ids',
  repairs: [
    {
      code: 'artifact-id-missing',
      point: 'task',
      expected: 'the member artifactId in every artifact',
      instead: 'used its position in the list',
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

/** Artifact events that have `part` and `index` instead of `artifact`, with the flags inside the part. */
export const chunkPart: Profile = {
  name: 'chunk-part',
  repairs: [
    {
      code: 'artifact-event-part',
      point: 'artifactEvent',
      expected: 'the member artifact',
      instead: 'built one from the member part',
      apply({ part, index, timestamp: _, ...event }) {
        if (!isObject(part) || event['artifact'] !== undefined) return undefined;
        const { index: _index, append, lastChunk, ...content } = part;
        const number = typeof index === 'number' ? index : 0;
        const artifact: JsonObject = { artifactId: `artifact-${number}`, parts: [content] };
        return {
          ...event,
          artifact,
          ...(append === true ? { append } : {}),
          ...(lastChunk === true ? { lastChunk } : {}),
        };
      },
    },
  ],
};
