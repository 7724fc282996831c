import { ArtifactFold } from '../model/artifact-fold.ts';
import type { Artifact } from '../model/artifact.ts';
import type { StreamResponse, TaskArtifactUpdateEvent } from '../model/event.ts';
import type { Message } from '../model/message.ts';
import type { Part } from '../model/part.ts';
import { isPaused, isTerminal, type TaskState } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import { textOfChunks } from './answer-text.ts';

/** What a reader of a stream knows so far: the task as its events make it, or the message that was sent instead. */
export class TaskFold {
  #task: Task | undefined;
  #artifacts = new ArtifactFold();
  /** About how much each artifact has, to know when it is too much. */
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

  /** Nothing can come after it. */
  get isOver(): boolean {
    return this.message !== undefined || (this.#task !== undefined && isTerminal(this.#task.status.state));
  }

  /** It is the caller's turn. */
  get isPaused(): boolean {
    return this.#task !== undefined && isPaused(this.#task.status.state);
  }

  /** About how many characters the artifacts have. */
  get size(): number {
    return this.#size;
  }

  task(): Task | undefined {
    if (this.#task === undefined) return undefined;
    const artifacts = this.#artifacts.artifacts();
    return artifacts.length === 0 ? this.#task : { ...this.#task, artifacts };
  }

  take(event: StreamResponse): void {
    if ('message' in event) {
      this.message = event.message;
    } else if ('task' in event) {
      this.#task = event.task;
      this.#artifacts = new ArtifactFold(event.task.artifacts);
      this.#measureAnew(event.task.artifacts ?? []);
    } else if ('statusUpdate' in event) {
      const { taskId: id, contextId, status } = event.statusUpdate;
      this.#task = { ...(this.#task ?? { id, contextId }), status };
    } else {
      const { taskId: id, contextId } = event.artifactUpdate;
      this.#task ??= { id, contextId, status: { state: 'TASK_STATE_WORKING' } };
      this.#artifacts.apply(event.artifactUpdate);
      this.#measure(event.artifactUpdate);
    }
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

  /** The events that lead from what is known to a later state of the same task: what was missed, and nothing twice. */
  *missed(later: Task): Generator<StreamResponse, void> {
    if (this.#task === undefined) {
      yield { task: later };
      return;
    }
    const ids = { taskId: later.id, contextId: later.contextId ?? '' };
    for (const artifact of later.artifacts ?? []) {
      const update = newIn(artifact, this.#artifacts.get(artifact.artifactId));
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

/** What an artifact has that is not known yet: parts at its end, text at its end, or all of it if it is another one now. */
function newIn(artifact: Artifact, known: Artifact | undefined): { artifact: Artifact; append?: boolean } | undefined {
  if (known === undefined) return { artifact };
  const count = known.parts.length;
  const isLonger = artifact.parts.length >= count && same(artifact.parts.slice(0, count), known.parts);
  if (isLonger) {
    const parts = artifact.parts.slice(count);
    return parts.length === 0 ? undefined : { artifact: { ...artifact, parts }, append: true };
  }
  // Agents may keep the pieces of a text as one.
  const [text, knownText] = [textOf(artifact), textOf(known)];
  if (text === undefined || knownText === undefined || !text.startsWith(knownText)) return { artifact };
  const rest = text.slice(knownText.length);
  return rest === '' ? undefined : { artifact: { ...artifact, parts: [{ text: rest }] }, append: true };
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Of an artifact that is nothing but text. */
function textOf({ parts }: Artifact): string | undefined {
  return parts.every((part) => 'text' in part) ? textOfChunks(parts) : undefined;
}
