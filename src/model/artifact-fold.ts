import type { Artifact } from './artifact.ts';
import type { TaskArtifactUpdateEvent } from './event.ts';
import type { Part } from './part.ts';

type Draft = { -readonly [K in keyof Artifact]: K extends 'parts' ? Part[] : Artifact[K] };

/**
 * The artifacts of a task while chunks arrive. Says the same as folding with `applyEvent`, but a chunk costs what is in
 * it and not what came before, so that an artifact of 20,000 chunks is no trouble.
 */
export class ArtifactFold {
  readonly #drafts = new Map<string, Draft>();

  constructor(artifacts: Iterable<Artifact> = []) {
    for (const artifact of artifacts) this.#drafts.set(artifact.artifactId, draftOf(artifact));
  }

  /** Without `append` the artifact is created or replaced; appending to one that is not there creates it. */
  apply({ artifact, append }: TaskArtifactUpdateEvent): void {
    const draft = append === true ? this.#drafts.get(artifact.artifactId) : undefined;
    if (draft === undefined) this.#drafts.set(artifact.artifactId, draftOf(artifact));
    else appendTo(draft, artifact);
  }

  /** The artifacts in the order in which they first came. */
  artifacts(): readonly Artifact[] {
    return Array.from(this.#drafts.values(), (draft) => ({ ...draft, parts: [...draft.parts] }));
  }
}

function draftOf(artifact: Artifact): Draft {
  return { ...artifact, parts: [...artifact.parts] };
}

/** Parts are added, metadata is merged shallowly, a later name or description wins unless it is empty. */
function appendTo(draft: Draft, chunk: Artifact): void {
  for (const part of chunk.parts) draft.parts.push(part);
  if (chunk.name !== undefined && chunk.name !== '') draft.name = chunk.name;
  if (chunk.description !== undefined && chunk.description !== '') draft.description = chunk.description;
  if (chunk.metadata !== undefined) draft.metadata = { ...draft.metadata, ...chunk.metadata };
  if (chunk.extensions !== undefined) draft.extensions = chunk.extensions;
}
