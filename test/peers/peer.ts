/**
 * The operations that all official clients have in common, so that one list of behaviours fits them all. Objects keep the
 * format of the client's version; only their wrappers are unified.
 */
export interface Peer {
  /** The name that the client has read from the card. */
  readonly agentName: string;
  /** Two files and a JSON value, in the format of its version. */
  readonly samples: readonly PeerPart[];
  send(message: ClientMessage): Promise<PeerResult>;
  stream(message: ClientMessage): AsyncIterable<PeerEvent>;
  get(id: string): Promise<PeerTask>;
  cancel(id: string): Promise<PeerTask>;
  resubscribe(id: string): AsyncIterable<PeerEvent>;
}

export interface ClientMessage {
  readonly text?: string;
  readonly parts?: readonly PeerPart[];
  readonly taskId?: string;
  readonly contextId?: string;
  /** Whether the server responds before the task has ended. */
  readonly returnImmediately?: boolean;
}

export type PeerPart = Readonly<Record<string, unknown>>;

export interface PeerMessage {
  readonly messageId: string;
  readonly parts: readonly PeerPart[];
}

export interface PeerTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: PeerStatus;
  readonly artifacts?: readonly PeerArtifact[];
  readonly history?: readonly PeerMessage[];
}

export interface PeerStatus {
  readonly state: string;
  readonly message?: PeerMessage;
}

export interface PeerArtifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly parts: readonly PeerPart[];
}

export type PeerResult = { readonly task: PeerTask } | { readonly message: PeerMessage };

export type PeerEvent =
  | PeerResult
  | { readonly statusUpdate: { readonly taskId: string; readonly status: PeerStatus; readonly final?: boolean } }
  | {
      readonly artifactUpdate: { readonly taskId: string; readonly artifact: PeerArtifact; readonly append?: boolean };
    };

/** The name of a state in the 0.3 format, for every version. */
export function stateOf({ status }: Pick<PeerTask, 'status'>): string {
  return status.state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
}

export function textOf(parts: readonly PeerPart[] | undefined): string {
  return parts?.map(({ text }) => String(text)).join('') ?? '';
}

/** The texts of a task's artifacts, by name. */
export function textsOf({ artifacts = [] }: PeerTask): Readonly<Record<string, string>> {
  return Object.fromEntries(artifacts.map(({ name = '', parts }): [string, string] => [name, textOf(parts)]));
}

/**
 * The task that the events of a stream add up to, by the rules of 1.0 §4.2 and without our code. The message of a status
 * moves to the history when the next status arrives. The stored task joins adjacent texts to one part, so this does too.
 */
export function fold(events: readonly PeerEvent[]): PeerTask {
  const [first, ...rest] = events;
  if (first === undefined || !('task' in first)) throw new Error('Expected a stream to begin with a task');
  let { task } = first;
  for (const event of rest) task = after(task, event);
  return task;
}

function after(task: PeerTask, event: PeerEvent): PeerTask {
  if ('artifactUpdate' in event) return { ...task, artifacts: withChunk(task.artifacts ?? [], event.artifactUpdate) };
  if (!('statusUpdate' in event)) throw new Error('Expected only updates after the task');
  const { status } = event.statusUpdate;
  const previous = task.status.message;
  return previous === undefined
    ? { ...task, status }
    : { ...task, status, history: [...(task.history ?? []), previous] };
}

function withChunk(
  artifacts: readonly PeerArtifact[],
  { artifact, append }: { readonly artifact: PeerArtifact; readonly append?: boolean },
): readonly PeerArtifact[] {
  const existing = artifacts.find(({ artifactId }) => artifactId === artifact.artifactId);
  if (existing === undefined) return [...artifacts, artifact];
  const parts = append === true ? joined([...existing.parts, ...artifact.parts]) : artifact.parts;
  return artifacts.map((other) => (other === existing ? { ...artifact, parts } : other));
}

function joined(parts: readonly PeerPart[]): readonly PeerPart[] {
  if (!parts.every(({ text }) => typeof text === 'string')) return parts;
  return [{ ...parts[0], text: textOf(parts) }];
}

export async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

export function taskOf(result: PeerResult): PeerTask {
  if (!('task' in result)) throw new Error('Expected a task, not a message');
  return result.task;
}
