import type { PeerAnswer, PeerCall } from '../engine/calls/peers.ts';
import type { AgentCard } from '../model/card.ts';
import { LINEAGE, readsLineage } from '../model/lineage.ts';
import type { Message } from '../model/message.ts';
import type { SendMessageRequest } from '../model/operation.ts';
import { QUESTIONS } from '../model/question.ts';
import { SKILL_EXTENSION } from '../model/skills.ts';
import { withLineage } from '../wire/lineage.ts';

/** How the message of a call is sent to a peer. */
interface StartFacts {
  readonly card: AgentCard;
  /** Whether the peer gets the lineage although it does not declare the extension. */
  readonly sendsLineage: boolean;
  /** The id of the task, if the version of the peer lets the caller choose it. */
  readonly taskId: string | undefined;
}

/** The request that starts the task of a call. The same for each attempt. */
export function startRequest(call: PeerCall, { card, sendsLineage, taskId }: StartFacts): SendMessageRequest {
  const { metadata, lineage, skillId } = call;
  const deadline = Math.min(call.deadline ?? Infinity, lineage.deadline ?? Infinity);
  const limited = Number.isFinite(deadline) ? { ...lineage, deadline } : lineage;
  const addressed = skillId === undefined ? call.message : withSkill(call.message, skillId, card);
  const message =
    sendsLineage || readsLineage(card) ? withLineage(addressed, limited) : withReference(addressed, lineage.parent);
  return {
    message: taskId === undefined ? message : { ...message, taskId },
    configuration: { returnImmediately: true },
    ...(metadata !== undefined && { metadata }),
  };
}

/** The request that answers a question. The peer knows the context of its task, which may be another than that of the call. */
export function answerRequest(answer: PeerAnswer, taskId: string, card: AgentCard): SendMessageRequest {
  const { questionId } = answer;
  const { contextId: _, ...message } = answer.message;
  const isNamed = questionId !== undefined && declares(card, QUESTIONS.uri);
  const metadata = isNamed ? { metadata: { ...message.metadata, [QUESTIONS.uri]: { questionId } } } : {};
  return { message: { ...message, ...metadata, taskId }, configuration: { returnImmediately: true } };
}

/** The extensions of a call that the peer declares. */
export function extensionsFor({ skillId }: Pick<PeerCall, 'skillId'>, card: AgentCard): readonly string[] {
  const used = skillId === undefined ? [LINEAGE.uri] : [LINEAGE.uri, SKILL_EXTENSION];
  return used.filter((uri) => declares(card, uri));
}

function withSkill(message: Message, skillId: string, card: AgentCard): Message {
  const { extensions = [], metadata } = message;
  return {
    ...message,
    metadata: { ...metadata, skillId },
    ...(declares(card, SKILL_EXTENSION) && { extensions: [...new Set([...extensions, SKILL_EXTENSION])] }),
  };
}

function withReference(message: Message, taskId: string): Message {
  return { ...message, referenceTaskIds: [...new Set([...(message.referenceTaskIds ?? []), taskId])] };
}

function declares({ capabilities }: AgentCard, extension: string): boolean {
  return capabilities.extensions?.some(({ uri }) => uri === extension) === true;
}
