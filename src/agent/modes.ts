import { A2AError, type FieldViolation } from '../errors.ts';
import type { AgentCard, AgentSkill } from '../model/card.ts';
import type { Message } from '../model/message.ts';
import { mediaTypeOf } from '../model/part.ts';
import { isWithin, type MediaRange, overlap, readMediaRange } from './media-type.ts';

/** The media types that an agent, or one of its skills, declares for its input and output. */
export interface Modes {
  /**
   * Rejects a message with content of a type that is not accepted. The handler judges whether a message is empty.
   *
   * @throws A2AError CONTENT_TYPE_NOT_SUPPORTED that names each such part (1.0 §3.1.1).
   */
  admit(message: Message): void;
  /**
   * Rejects a caller that accepts none of the output types. A caller that lists no types accepts all.
   *
   * @throws A2AError CONTENT_TYPE_NOT_SUPPORTED (1.0 §3.1.1).
   */
  admitOutputModes(acceptedOutputModes: readonly string[]): void;
  /** Whether the agent declares that it outputs this media type. */
  declaresOutput(mediaType: string): boolean;
}

const MAX_VIOLATIONS = 20;
const MAX_SHOWN = 64;

/**
 * The modes must be media types or ranges of them.
 *
 * @param skillId The skill that declares them, if it is not the agent.
 */
export function createModes(inputModes: readonly string[], outputModes: readonly string[], skillId?: string): Modes {
  const input = rangesOf(inputModes);
  const output = rangesOf(outputModes);
  const acceptsAll = input.some(({ type }) => type === '*');
  const of = skillId === undefined ? '' : ` for skill ${JSON.stringify(skillId)}`;
  const accepts = `expected ${inputModes.join(', ')}${of}`;
  const skill = skillId === undefined ? undefined : { skillId };
  return {
    admit(message) {
      if (acceptsAll) return;
      const violations: FieldViolation[] = [];
      for (const [i, part] of message.parts.entries()) {
        // A file without a media type is accepted, because its type is unknown.
        const mediaType = mediaTypeOf(part);
        if (mediaType === undefined || isWithin(mediaType, input)) continue;
        const description = `${accepts}; it is ${shown(mediaType)}`;
        if (violations.length < MAX_VIOLATIONS)
          violations.push({ field: `message.parts[${i}].mediaType`, description });
      }
      if (violations.length > 0) throw rejection(violations, { ...skill, inputModes: inputModes.join(', ') });
    },
    admitOutputModes(acceptedOutputModes) {
      if (acceptedOutputModes.length === 0) return;
      const accepted = rangesOf(acceptedOutputModes);
      if (output.some((mode) => accepted.some((range) => overlap(mode, range)))) return;
      const field = 'configuration.acceptedOutputModes';
      const description = `expected one or more of ${outputModes.join(', ')}${of}`;
      throw rejection([{ field, description }], { ...skill, outputModes: outputModes.join(', ') });
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

function rejection(violations: readonly FieldViolation[], details: Readonly<Record<string, string>>): A2AError {
  const message = violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
  return new A2AError('CONTENT_TYPE_NOT_SUPPORTED', message, { violations, details });
}

function shown(mediaType: string): string {
  return JSON.stringify(mediaType.length > MAX_SHOWN ? `${mediaType.slice(0, MAX_SHOWN)}…` : mediaType);
}

/** The modes of an agent and of each of its skills. */
export interface AgentModes {
  /** @throws A2AError CONTENT_TYPE_NOT_SUPPORTED if the agent, or the skill that the message names, does not accept a part. */
  admit(message: Message, acceptedOutputModes: readonly string[], skillId?: string): void;
  /** @throws A2AError CONTENT_TYPE_NOT_SUPPORTED if the caller accepts none of the output types. */
  admitOutputModes(acceptedOutputModes: readonly string[], skillId?: string): void;
  /** Whether the agent or one of its skills declares that it outputs this media type. */
  declaresOutput(mediaType: string): boolean;
}

/** The modes of a skill, if they differ from those of the agent. */
type SkillModes = Pick<AgentSkill, 'id' | 'inputModes' | 'outputModes'>;

/**
 * A message that specifies a skill must match the modes of that skill. Other messages may have any type that the agent or one of its
 * skills accepts, because the handler chooses the skill.
 */
export function createAgentModes(own: AgentModeLists, skills: readonly SkillModes[]): AgentModes {
  const any = createModes(
    all(
      own.defaultInputModes,
      skills.map(({ inputModes }) => inputModes),
    ),
    all(
      own.defaultOutputModes,
      skills.map(({ outputModes }) => outputModes),
    ),
  );
  const bySkill = new Map(
    skills.map(({ id, inputModes = own.defaultInputModes, outputModes = own.defaultOutputModes }) => [
      id,
      createModes(inputModes, outputModes, id),
    ]),
  );
  const of = (skillId: string | undefined): Modes => (skillId === undefined ? any : (bySkill.get(skillId) ?? any));
  return {
    admit: (message, _acceptedOutputModes, skillId) => of(skillId).admit(message),
    admitOutputModes: (accepted, skillId) => of(skillId).admitOutputModes(accepted),
    declaresOutput: any.declaresOutput,
  };
}

type AgentModeLists = Pick<AgentCard, 'defaultInputModes' | 'defaultOutputModes'>;

function all(own: readonly string[], more: readonly (readonly string[] | undefined)[]): readonly string[] {
  return [...new Set([...own, ...more.flatMap((modes) => modes ?? [])])];
}
