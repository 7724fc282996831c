import type { Artifact } from './artifact.ts';
import type { TaskArtifactUpdateEvent } from './event.ts';
import type { Part } from './part.ts';
import { addPart, withJoinedTexts } from './text-parts.ts';

type Draft = { -readonly [K in keyof Artifact]: K extends 'parts' ? Part[] : Artifact[K] };

/**
 * The artifacts of a task while chunks arrive. Gives the same result as folding with `applyEvent`, but a chunk costs what is
 * in it and not what came before, so that an artifact of 20,000 chunks stays cheap. Neighbouring texts are joined, whether
 * they come in one chunk or in several.
 */
export class ArtifactFold {
  readonly #drafts = new Map<string, Draft>();

  /**
   * An id must be unique within its task (1.0, protocol definition). Where a peer repeats one all the same, what it
   * names is taken together in the place of the first, as chunks of a stream are: nothing that was said is lost.
   */
  constructor(artifacts: Iterable<Artifact> = []) {
    for (const artifact of artifacts) this.apply({ artifact, append: true });
  }

  /** Without `append` the artifact is created or replaced; appending to one that is not there creates it. */
  apply({ artifact, append }: Pick<TaskArtifactUpdateEvent, 'artifact' | 'append'>): void {
    const draft = append === true ? this.#drafts.get(artifact.artifactId) : undefined;
    if (draft === undefined) this.#drafts.set(artifact.artifactId, draftOf(artifact, withJoinedTexts(artifact.parts)));
    else appendTo(draft, artifact);
  }

  has(artifactId: string): boolean {
    return this.#drafts.has(artifactId);
  }

  get(artifactId: string): Artifact | undefined {
    const draft = this.#drafts.get(artifactId);
    return draft && draftOf(draft);
  }

  /** The artifacts in the order in which they first came. */
  artifacts(): readonly Artifact[] {
    return Array.from(this.#drafts.values(), (draft) => draftOf(draft));
  }

  /** What `artifacts` says, as JSON. */
  toJson(): string {
    return JSON.stringify([...this.#drafts.values()]);
  }
}

function draftOf(artifact: Artifact, parts: readonly Part[] = artifact.parts): Draft {
  const { artifactId, name, description, metadata, extensions } = artifact;
  // One by one: what a spread makes has a hidden class of its own as soon as something is added.
  const draft: Draft = name === undefined ? { artifactId, parts: [...parts] } : { artifactId, name, parts: [...parts] };
  if (description !== undefined) draft.description = description;
  if (metadata !== undefined) draft.metadata = metadata;
  if (extensions !== undefined) draft.extensions = extensions;
  return draft;
}

/** Parts are added and neighbouring texts joined, metadata is merged shallowly, a later name or description wins unless it is empty. */
function appendTo(draft: Draft, chunk: Artifact): void {
  for (const part of chunk.parts) addPart(draft.parts, part);
  if (chunk.name !== undefined && chunk.name !== '') draft.name = chunk.name;
  if (chunk.description !== undefined && chunk.description !== '') draft.description = chunk.description;
  if (chunk.metadata !== undefined) draft.metadata = { ...draft.metadata, ...chunk.metadata };
  if (chunk.extensions !== undefined) draft.extensions = chunk.extensions;
}
