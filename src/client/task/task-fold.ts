import { ArtifactFold } from '../../model/artifact-fold.ts';
import type { Artifact } from '../../model/artifact.ts';
import type { StreamResponse, TaskArtifactUpdateEvent } from '../../model/event.ts';
import type { Message } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import { isPaused, isTerminal, type TaskState } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import { continues, isJoinable, withJoinedTexts } from '../../model/text-parts.ts';

/** The state of a stream so far: the task after its events, or the message that the agent sent instead. */
export class TaskFold {
  #task: Task | undefined;
  /** Created with the first chunk: until then the artifacts are those of the task, as the agent has sent them. */
  #fold: ArtifactFold | undefined;
  /** The approximate size of each artifact, to enforce the limit. */
  readonly #sizes = new Map<string, number>();
  #size = 0;
  message: Message | undefined;

  constructor(task?: Task) {
    if (task !== undefined) this.take({ task });
  }

  get taskId(): string | undefined {
    return this.#task?.id;
  }

  get state(): TaskState | undefined {
    return this.#task?.status.state;
  }

  /** Whether no further events can follow. */
  get isOver(): boolean {
    return this.message !== undefined || (this.#task !== undefined && isTerminal(this.#task.status.state));
  }

  /** Whether the task waits for its caller. */
  get isPaused(): boolean {
    return this.#task !== undefined && isPaused(this.#task.status.state);
  }

  /** The approximate number of characters in all artifacts. */
  get size(): number {
    return this.#size;
  }

  task(): Task | undefined {
    if (this.#task === undefined || this.#fold === undefined) return this.#task;
    return { ...this.#task, artifacts: this.#fold.artifacts() };
  }

  take(event: StreamResponse): void {
    if ('message' in event) {
      this.message = event.message;
    } else if ('task' in event) {
      this.#task = event.task;
      this.#fold = undefined;
      this.#measureAnew(event.task.artifacts ?? []);
    } else if ('statusUpdate' in event) {
      const { taskId: id, contextId, status } = event.statusUpdate;
      this.#task = { ...(this.#task ?? { id, contextId }), status };
    } else {
      const { taskId: id, contextId } = event.artifactUpdate;
      this.#task ??= { id, contextId, status: { state: 'TASK_STATE_WORKING' } };
      this.#folding().apply(event.artifactUpdate);
      this.#measure(event.artifactUpdate);
    }
  }

  #folding(): ArtifactFold {
    return (this.#fold ??= new ArtifactFold(this.#task?.artifacts));
  }

  #measureAnew(artifacts: readonly Artifact[]): void {
    this.#sizes.clear();
    this.#size = 0;
    for (const { artifactId, parts } of artifacts) this.#count(artifactId, sizeOfAll(parts));
  }

  #measure({ artifact: { artifactId, parts }, append }: TaskArtifactUpdateEvent): void {
    const added = sizeOfAll(parts);
    this.#count(artifactId, append === true ? (this.#sizes.get(artifactId) ?? 0) + added : added);
  }

  #count(artifactId: string, size: number): void {
    this.#size += size - (this.#sizes.get(artifactId) ?? 0);
    this.#sizes.set(artifactId, size);
  }

  /** The events between the known and a later state of the same task, without duplicates. */
  *missed(later: Task): Generator<StreamResponse, void> {
    if (this.#task === undefined) {
      yield { task: later };
      return;
    }
    const ids = { taskId: later.id, contextId: later.contextId ?? '' };
    const known = this.#folding();
    for (const artifact of later.artifacts ?? []) {
      const update = newIn(artifact, known.get(artifact.artifactId));
      if (update !== undefined) yield { artifactUpdate: { ...ids, ...update } };
    }
    if (isOther(this.#task, later)) yield { statusUpdate: { ...ids, status: later.status } };
  }
}

function sizeOfAll(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + sizeOf(part), 0);
}

function sizeOf(part: Part): number {
  if ('text' in part) return part.text.length;
  if ('raw' in part) return part.raw.length;
  return 'url' in part ? part.url.length : JSON.stringify(part.data).length;
}

function isOther({ status: known }: Task, { status: later }: Task): boolean {
  return known.state !== later.state || JSON.stringify(known.message?.parts) !== JSON.stringify(later.message?.parts);
}

/**
 * The new content of an artifact: text and parts at its end, or all of it if earlier parts have changed. Texts are compared as a
 * whole, because an agent may store the chunks of a stream separately or joined.
 */
function newIn(artifact: Artifact, known: Artifact | undefined): { artifact: Artifact; append?: boolean } | undefined {
  if (known === undefined) return { artifact };
  const parts = partsAfter(known.parts, withJoinedTexts(artifact.parts)) ?? textAfter(known.parts, artifact.parts);
  if (parts === undefined) return { artifact };
  return parts.length === 0 ? undefined : { artifact: { ...artifact, parts }, append: true };
}

/** The parts after the known parts; undefined if the list does not start with them. Both lists must have their texts joined. */
function partsAfter(known: readonly Part[], parts: readonly Part[]): readonly Part[] | undefined {
  const last = known.at(-1);
  if (last === undefined) return parts;
  const index = known.length - 1;
  const later = parts[index];
  if (later === undefined || !isSame(parts.slice(0, index), known.slice(0, index))) return undefined;
  const next = parts.slice(known.length);
  if (isSame(later, last)) return next;
  if (!isJoinable(last) || !continues(last, later) || !later.text.startsWith(last.text)) return undefined;
  const text = later.text.slice(last.text.length);
  return text === '' ? next : [{ ...later, text }, ...next];
}

/**
 * The text after the known text, for lists of texts only. The parts of a snapshot may have other media types, metadata and boundaries
 * than the chunks.
 */
function textAfter(known: readonly Part[], parts: readonly Part[]): readonly Part[] | undefined {
  const [knownText, text] = [textOf(known), textOf(parts)];
  if (knownText === undefined || text?.startsWith(knownText) !== true) return undefined;
  return text === knownText ? [] : [{ text: text.slice(knownText.length) }];
}

function textOf(parts: readonly Part[]): string | undefined {
  let text = '';
  for (const part of parts) {
    if (!('text' in part)) return undefined;
    text += part.text;
  }
  return text;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
