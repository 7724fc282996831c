import type { JsonObject } from './json.ts';
import type { Part } from './part.ts';

/** A result of a task (1.0 §4.1.7). `artifactId` is unique within its task. */
export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}
