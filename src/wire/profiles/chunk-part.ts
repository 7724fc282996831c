import type { JsonObject } from '../../model/json.ts';
import { isObject } from '../codec.ts';
import type { Profile } from './profile.ts';

/** Artifact events with a single `part` and an `index` instead of an `artifact`, the flags inside the part. */
export const chunkPart: Profile = {
  name: 'chunk-part',
  repairs: [
    {
      code: 'artifact-event-part',
      seam: 'artifactEvent',
      expected: 'the member artifact',
      instead: 'made one of the member part',
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
