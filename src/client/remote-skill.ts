import { A2AError, markNested } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type { JsonInput, JsonValue } from '../model/json.ts';
import type { Part } from '../model/part.ts';
import { declaresOutput, RESULT, SKILL_EXTENSION, type SkillTypes } from '../model/skills.ts';
import type { MessageDraft } from './message-input.ts';
import type { AskOptions } from './options.ts';
import { answerOf, type Reply } from './reply.ts';

/** The types of a skill that `client.skill()` has if you do not specify them. */
export type AnySkill = SkillTypes<JsonInput, JsonValue | undefined>;

/** The id of a skill: a literal type for a skill made with `skill()`. */
export type SkillId<S extends SkillTypes> = NonNullable<S['~types']>['id'];

/** The input of a skill, as callers send it. */
export type SkillInput<S extends SkillTypes> = NonNullable<S['~types']>['input'];

/** The output of a skill, as callers receive it. */
export type SkillOutput<S extends SkillTypes> = NonNullable<S['~types']>['output'];

/** The result of a skill. */
export interface SkillResult<Output> {
  /** The output: the data of the artifact `result`, else the last data of the reply. Only its agent has checked it. */
  readonly data: Output;
  /** The text of the reply. */
  readonly text: string;
  /** The whole reply, with the task and its artifacts. */
  readonly reply: Reply;
}

/** The methods of `AgentClient` that its skills use. */
export interface SkillMethods {
  readonly card: () => AgentCard;
  settle(message: MessageDraft, options: AskOptions): Promise<Reply>;
}

/** A skill of an agent. Created by `client.skill()`; creating it sends no request. */
export class RemoteSkill<S extends SkillTypes = AnySkill> {
  /** The id of the skill on the card. */
  readonly id: string;
  readonly #client: SkillMethods;

  /** @internal */
  constructor(client: SkillMethods, id: string) {
    this.id = id;
    this.#client = client;
  }

  /**
   * Sends the input to the skill and waits for the result. The agent checks the input. Questions are handled as in `client.ask()`.
   *
   * @throws A2AError `UNSUPPORTED_OPERATION` if the card does not list the skill, `INVALID_PARAMS` if the input does not match,
   * `TASK_FAILED` if the task did not succeed, `INVALID_AGENT_RESPONSE` if a declared output is missing, `INPUT_REQUIRED` or
   * `AUTH_REQUIRED` for an open question, or the other errors of `client.ask()`.
   *
   * @example
   * const { data } = await client.skill<typeof runQuery>('run-query').call({ sql: 'select 1' });
   */
  async call(input: SkillInput<S>, options: AskOptions = {}): Promise<SkillResult<SkillOutput<S>>> {
    const card = this.#client.card();
    if (!card.skills.some(({ id }) => id === this.id)) throw markNested(this.#missing(card));
    const isDeclared = card.capabilities.extensions?.some(({ uri }) => uri === SKILL_EXTENSION) === true;
    const extensions = isDeclared ? [SKILL_EXTENSION] : [];
    const message: MessageDraft = {
      parts: [{ data: input as JsonInput }],
      metadata: { skillId: this.id },
      ...(isDeclared && { extensions }),
    };
    const reply = await this.#client.settle(message, {
      ...options,
      extensions: [...extensions, ...(options.extensions ?? [])],
    });
    const text = answerOf(reply);
    const data = dataOf(reply);
    if (data === undefined && reply.state === 'completed' && declaresOutput(card, this.id)) {
      const { handle } = reply;
      const missing = `The agent completed the task without the output that its card declares for skill ${quoted(this.id)}`;
      throw markNested(new A2AError('INVALID_AGENT_RESPONSE', missing, { details: { skillId: this.id, handle } }));
    }
    return { data: data as SkillOutput<S>, text, reply };
  }

  #missing({ skills, capabilities }: AgentCard): A2AError {
    const known = skills.map(({ id }) => id).join(', ');
    const list =
      known === '' ? 'It lists no skills; a client created from a task handle has no card' : `Skills: ${known}`;
    const hint = capabilities.extendedAgentCard === true ? '. client.extendedCard() may list more' : '';
    const message = `The card of the agent has no skill ${quoted(this.id)}. ${list}${hint}`;
    return new A2AError('UNSUPPORTED_OPERATION', message, { details: { skillId: this.id } });
  }
}

function dataOf(reply: Reply): JsonValue | undefined {
  if (reply.kind === 'message') return dataIn(reply.message.parts);
  const { artifacts = [] } = reply.task;
  const named = artifacts.find(({ name }) => name === RESULT);
  const result = named && dataIn(named.parts);
  return result ?? artifacts.map(({ parts }) => dataIn(parts)).findLast((data) => data !== undefined);
}

function dataIn(parts: readonly Part[]): JsonValue | undefined {
  const part = parts.findLast((each) => 'data' in each);
  return part !== undefined && 'data' in part ? part.data : undefined;
}

function quoted(id: string): string {
  return JSON.stringify(id);
}
