import type { Artifact } from '../model/artifact.ts';
import { ArtifactFold } from '../model/artifact-fold.ts';
import type { StreamResponse, TaskArtifactUpdateEvent } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import type { Part } from '../model/part.ts';
import { isPaused } from '../model/state.ts';
import type { TaskEvent, TaskRecord } from '../store/store.ts';
import { artifactUpdateOf } from './event-body.ts';
import { eventMetadata } from './task-trace.ts';

/** What an earlier attempt at the same turn said on one stream, and how far this attempt has said the same. */
interface Stream {
  readonly said: string[];
  next: number;
}

/** What becomes of an output while an earlier attempt is repeated. */
export type Verdict =
  /** Said before. */
  | 'known'
  /** The earlier attempt had come to its end here: from now on everything is new. */
  | 'new'
  /** The earlier attempt said something else. */
  | 'different';

/**
 * Compares what a handler says when it is run again with what is in the log. The k-th output of an artifact, or of the
 * status, is compared with the k-th of the last attempt: what was said is not said again. Where an artifact is different,
 * it is replaced once by what this attempt has made of it, and goes on from there; events are never taken back.
 */
export class Replay {
  readonly #record: Pick<TaskRecord, 'origin'>;
  readonly #statuses: Stream = { said: [], next: 0 };
  readonly #artifacts = new Map<string, Stream>();
  /** The artifacts that are still being compared, as this attempt has made them. */
  readonly #attempt: ArtifactFold;

  /**
   * @param before The artifacts at the beginning of the turn.
   * @param events The events since then.
   */
  constructor(
    before: Iterable<Artifact>,
    events: readonly TaskEvent[],
    record: Pick<TaskRecord, 'origin'> = { origin: {} },
  ) {
    this.#record = record;
    const ownText = textOf([], eventMetadata(record, undefined));
    this.#attempt = new ArtifactFold(before);
    for (const event of events) {
      if (event.kind === 'artifact') {
        const { artifactId } = artifactUpdateOf(event).artifact;
        const stream = this.#artifacts.get(artifactId) ?? { said: [], next: 0 };
        stream.said.push(event.body);
        this.#artifacts.set(artifactId, stream);
      } else if (event.kind === 'status') {
        const text = statusText(event);
        if (text !== undefined && text !== ownText) this.#statuses.said.push(text);
      }
    }
  }

  status(parts: readonly Part[], metadata: JsonObject | undefined): Verdict {
    return advance(this.#statuses, textOf(parts, eventMetadata(this.#record, metadata)));
  }

  artifact(update: TaskArtifactUpdateEvent, body: string): Verdict {
    const { artifactId } = update.artifact;
    const stream = this.#artifacts.get(artifactId);
    if (stream === undefined) return 'new';
    const verdict = advance(stream, body);
    if (verdict === 'new') this.#artifacts.delete(artifactId);
    else this.#attempt.apply(update);
    return verdict;
  }

  /** The artifact as this attempt has it, after a difference. It is not compared any more. */
  settle(artifactId: string): Artifact | undefined {
    this.#artifacts.delete(artifactId);
    return this.#attempt.get(artifactId);
  }

  /** Artifacts of which this attempt, now at its end, has said less than the earlier one. */
  cutShort(): readonly Artifact[] {
    const short = [...this.#artifacts].filter(([, { said, next }]) => next > 0 && next < said.length);
    return short.flatMap(([artifactId]) => this.settle(artifactId) ?? []);
  }
}

function advance(stream: Stream, text: string): Verdict {
  const said = stream.said[stream.next];
  if (said === undefined) return 'new';
  if (said === text) {
    stream.next++;
    return 'known';
  }
  // Whatever else the earlier attempt said is not compared with.
  stream.said.length = stream.next;
  return 'different';
}

/** What a status says, without its time and ids. Nothing for questions, which the journal has. */
function statusText({ body }: TaskEvent): string | undefined {
  const event = JSON.parse(body) as StreamResponse;
  if (!('statusUpdate' in event)) return undefined;
  const { status, metadata } = event.statusUpdate;
  if (isPaused(status.state)) return undefined;
  return textOf(status.message?.parts ?? [], metadata);
}

function textOf(parts: readonly Part[], metadata: JsonObject | undefined): string {
  return JSON.stringify([parts, metadata]);
}
