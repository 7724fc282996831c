import type { JsonObject } from './json.ts';
import type { Part } from './part.ts';

/** A result of a task (1.0 §4.1.7). */
export interface Artifact {
  /** Identifier, unique within the task. */
  readonly artifactId: string;
  /** Human-readable name, for example a file name. */
  readonly name?: string;
  /** Description of the content. */
  readonly description?: string;
  /** Content of the artifact, at least one part. */
  readonly parts: readonly Part[];
  /** Custom data about the artifact. */
  readonly metadata?: JsonObject;
  /** URIs of the extensions that the artifact uses. */
  readonly extensions?: readonly string[];
}
