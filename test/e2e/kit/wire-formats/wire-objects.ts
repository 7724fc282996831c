/** Loose types of JSON in responses: each version has some of these members. Nothing checks them at run time. */

export interface WirePart {
  readonly text?: string;
  readonly data?: unknown;
  readonly raw?: string;
}

export interface WireMessage {
  readonly role: string;
  readonly parts?: readonly WirePart[];
  readonly content?: readonly WirePart[];
  readonly messageId?: string;
  readonly contextId?: string;
  readonly taskId?: string;
}

export interface WireArtifact {
  readonly name: string;
  readonly parts: readonly WirePart[];
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

export interface WireStatus {
  readonly state: string;
  readonly timestamp: string;
  readonly message?: WireMessage;
}

export interface WireTask {
  readonly id: string;
  readonly contextId?: string;
  readonly sessionId?: string;
  readonly status: WireStatus;
  readonly artifacts?: readonly WireArtifact[];
  readonly history?: readonly WireMessage[];
}

export interface WireStatusUpdate {
  readonly taskId: string;
  readonly contextId?: string;
  readonly status: WireStatus;
  readonly final?: boolean;
}

export interface WireArtifactUpdate {
  readonly taskId: string;
  readonly contextId?: string;
  readonly artifact: WireArtifact;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

/** A response to a message or an event of a stream, as a member with the name of its type. */
export interface WireWrapped {
  readonly task?: WireTask;
  readonly message?: WireMessage;
  readonly statusUpdate?: WireStatusUpdate;
  readonly artifactUpdate?: WireArtifactUpdate;
}

/** The same in versions whose objects have a `kind`. */
export type WireKind =
  | ({ readonly kind: 'task' } & WireTask)
  | ({ readonly kind: 'message' } & WireMessage)
  | ({ readonly kind: 'status-update' } & WireStatusUpdate)
  | ({ readonly kind: 'artifact-update' } & WireArtifactUpdate);

/** The events of 0.1, which differ by their members. */
export type Wire01 =
  | { readonly id: string; readonly status: WireStatus; readonly final?: boolean }
  | { readonly id: string; readonly artifact: WireArtifact };

export interface WireViolation {
  readonly field: string;
}

/** The details of an error: a list of typed objects since 1.0, one object before. */
export interface WireDetail {
  readonly reason?: string;
  readonly fieldViolations?: readonly WireViolation[];
}
