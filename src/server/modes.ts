import { A2AError, type FieldViolation } from '../errors.ts';
import type { Message } from '../model/message.ts';
import { mediaTypeOf } from '../model/part.ts';
import { isWithin, type MediaRange, overlap, readMediaRange } from './media-type.ts';

/** The media types that an agent declares for its input and output. */
export interface Modes {
  /**
   * Rejects a message with content of a type that the agent does not accept. The handler judges whether a message is empty.
   *
   * @throws A2AError CONTENT_TYPE_NOT_SUPPORTED that names each such part (1.0 §3.1.1).
   */
  admit(message: Message): void;
  /**
   * Rejects a caller that accepts none of the output types of the agent. A caller that lists no types accepts all.
   *
   * @throws A2AError CONTENT_TYPE_NOT_SUPPORTED (1.0 §3.1.1).
   */
  admitOutputModes(acceptedOutputModes: readonly string[]): void;
  /** Whether the agent declares that it outputs this media type. */
  declaresOutput(mediaType: string): boolean;
}

const MAX_VIOLATIONS = 20;
const MAX_SHOWN = 64;

/** The modes must be media types or ranges of them. */
export function createModes(inputModes: readonly string[], outputModes: readonly string[]): Modes {
  const input = rangesOf(inputModes);
  const output = rangesOf(outputModes);
  const takes = `expected ${inputModes.join(', ')}`;
  return {
    admit(message) {
      const violations: FieldViolation[] = [];
      for (const [i, part] of message.parts.entries()) {
        // The type of a file that does not state it cannot be known, so it is not held against it.
        const mediaType = mediaTypeOf(part);
        if (mediaType === undefined || isWithin(mediaType, input)) continue;
        const description = `${takes}; it is ${shown(mediaType)}`;
        if (violations.length < MAX_VIOLATIONS)
          violations.push({ field: `message.parts[${i}].mediaType`, description });
      }
      if (violations.length > 0) throw refusal(violations, { inputModes: inputModes.join(', ') });
    },
    admitOutputModes(acceptedOutputModes) {
      if (acceptedOutputModes.length === 0) return;
      const accepted = rangesOf(acceptedOutputModes);
      if (output.some((mode) => accepted.some((range) => overlap(mode, range)))) return;
      const field = 'configuration.acceptedOutputModes';
      const description = `expected one or more of ${outputModes.join(', ')}`;
      throw refusal([{ field, description }], { outputModes: outputModes.join(', ') });
    },
    declaresOutput: (mediaType) => isWithin(mediaType, output),
  };
}

function rangesOf(modes: readonly string[]): readonly MediaRange[] {
  const ranges: MediaRange[] = [];
  for (const mode of modes) {
    const range = readMediaRange(mode);
    if (range !== undefined) ranges.push(range);
  }
  return ranges;
}

function refusal(violations: readonly FieldViolation[], details: Readonly<Record<string, string>>): A2AError {
  const told = violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
  return new A2AError('CONTENT_TYPE_NOT_SUPPORTED', told, { violations, details });
}

function shown(mediaType: string): string {
  return JSON.stringify(mediaType.length > MAX_SHOWN ? `${mediaType.slice(0, MAX_SHOWN)}…` : mediaType);
}
