import type { Artifact } from '../../model/artifact.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { CARRIER, carry, uncarry } from '../carrier.ts';
import { type Codec, defaulted, expected, object, optional } from '../codec.ts';
import type { Decoder } from '../decoder.ts';
import { boolean, count, list, string, struct } from '../values.ts';
import { part } from './part.ts';

/** 0.1 identifies artifacts by number, and each artifact contains the flags of a chunk. */
interface NumberedArtifact extends Pick<Artifact, 'name' | 'description' | 'parts'> {
  readonly index?: number;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly metadata?: JsonObject | undefined;
}

const numbered = object<NumberedArtifact>({
  index: optional(count),
  name: defaulted(string),
  description: defaulted(string),
  parts: expected(list(part, 1), () => []),
  append: optional(boolean),
  lastChunk: optional(boolean),
  metadata: optional(struct),
});

/** The artifact numbers of one list or stream, assigned in order of appearance. */
export class ArtifactNumbers {
  readonly #byId = new Map<string, number>();
  readonly #taken = new Set<number>();
  #next = 0;

  /** The number that a 0.1 peer assigned, if it is still free; otherwise the next. An id keeps its number. */
  of({ artifactId, metadata }: Artifact): number {
    const known = this.#byId.get(artifactId);
    if (known !== undefined) return known;
    const given = metadata?.[CARRIER.index];
    const number = isNumber(given) && !this.#taken.has(given) ? given : this.#free();
    this.#byId.set(artifactId, number);
    this.#taken.add(number);
    return number;
  }

  #free(): number {
    while (this.#taken.has(this.#next)) this.#next++;
    return this.#next;
  }
}

function isNumber(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
}

function idOf(number: number): string {
  return `artifact-${number}`;
}

/** An artifact or a chunk of one, with its number and the flags that later versions have in the event. */
export interface ArtifactChunk {
  readonly artifact: Artifact;
  readonly index: number;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

/**
 * An artifact from a 0.1 peer gets its number as id, and its metadata records that. The metadata of any other artifact
 * carries its id.
 */
export const artifactChunk: Codec<ArtifactChunk> = {
  decode(d, json) {
    const { index = 0, append, lastChunk, metadata, ...content } = numbered.decode(d, json);
    const flags = { index, ...(append === true ? { append } : {}), ...(lastChunk === true ? { lastChunk } : {}) };
    const carried = metadata?.[CARRIER.artifactId];
    if (metadata === undefined || typeof carried !== 'string' || carried === '') {
      return {
        artifact: { artifactId: idOf(index), ...content, metadata: { ...metadata, [CARRIER.index]: index } },
        ...flags,
      };
    }
    const own = uncarry(metadata, [CARRIER.artifactId]);
    return { artifact: { artifactId: carried, ...content, ...(own === undefined ? {} : { metadata: own }) }, ...flags };
  },

  encode({ artifact, ...flags }) {
    const { artifactId, metadata } = artifact;
    const isNumbered = metadata?.[CARRIER.index] === flags.index && artifactId === idOf(flags.index);
    const carried = isNumbered
      ? uncarry(metadata, [CARRIER.index])
      : carry(metadata, { [CARRIER.artifactId]: artifactId });
    return numbered.encode({ ...artifact, ...flags, metadata: carried });
  },
};

const chunks = list(artifactChunk);

/** The artifacts of a task. Chunk flags are ignored, because the artifacts of a task are complete. */
export const artifacts: Codec<readonly Artifact[]> = {
  decode(d, json) {
    const values = chunks.decode(d, json).map(({ artifact }) => artifact);
    return distinct(d, values);
  },
  encode(values) {
    const numbers = new ArtifactNumbers();
    return chunks.encode(values.map((artifact) => ({ artifact, index: numbers.of(artifact) })));
  },
};

/**
 * A server that sends the default number for every artifact means several artifacts: the later ones get new numbers.
 */
function distinct(d: Decoder, values: readonly Artifact[]): readonly Artifact[] {
  const ids = new Set(values.map(({ artifactId }) => artifactId));
  if (ids.size === values.length) return values;
  const seen = new Set<string>();
  let next = 0;
  return values.map((artifact, position) => {
    if (!seen.has(artifact.artifactId)) {
      seen.add(artifact.artifactId);
      return artifact;
    }
    d.tolerate('artifact-index-repeated', 'a unique index', position);
    while (ids.has(idOf(next))) next++;
    ids.add(idOf(next));
    return { ...artifact, artifactId: idOf(next), metadata: { ...artifact.metadata, [CARRIER.index]: next } };
  });
}
