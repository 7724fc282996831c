import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { SENSITIVE } from '../../model/question.ts';
import { CARRIER, carry, uncarry } from '../carrier.ts';
import { isObject } from '../codec.ts';
import type { ToolResult } from '../dialect.ts';
import { type Profile, rewriteResponses, rewriteParts, rewriteSends } from './profile.ts';

const TOOL_KINDS: readonly unknown[] = ['tool-result', 'tool-use'];

/**
 * Questions and answers as parts of the kinds `tool-use` and `tool-result`, and a member `inputRequest` on the message
 * that asks. The model keeps them unchanged as data and metadata.
 */
export const toolParts: Profile = {
  name: 'tool-parts',
  repairs: [
    {
      code: 'tool-part',
      point: 'part',
      expected: "'text', 'file' or 'data'",
      instead: 'read a tool part as data',
      apply({ kind, metadata, ...content }) {
        if (!TOOL_KINDS.includes(kind) || kind === undefined) return undefined;
        return {
          kind: 'data',
          data: content,
          metadata: carry(isObject(metadata) ? metadata : undefined, { [CARRIER.kind]: kind }) as JsonObject,
        };
      },
    },
    {
      code: 'input-request',
      point: 'message',
      expected: 'no member inputRequest',
      instead: 'kept it in the metadata',
      apply({ inputRequest, ...message }) {
        if (!isObject(inputRequest)) return undefined;
        const metadata = isObject(message['metadata']) ? message['metadata'] : undefined;
        return { ...message, metadata: carry(metadata, { [CARRIER.inputRequest]: inputRequest }) as JsonObject };
      },
    },
  ],
  forServer: (dialect) => ({
    ...rewriteResponses(dialect, (json) => restoreRequests(rewriteParts(json, restorePart))),
    staysOpenAtQuestion: true,
    toolResultIn,
  }),
  forClient: (dialect) => rewriteSends(dialect, (params) => rewriteParts(params, restorePart) as JsonObject),
};

function restorePart(part: Record<string, unknown>): unknown {
  const { kind, data, metadata } = part as JsonObject;
  if (kind !== 'data' || !isObject(data) || !isObject(metadata) || !TOOL_KINDS.includes(metadata[CARRIER.kind]))
    return part;
  return { kind: metadata[CARRIER.kind], ...data, ...member('metadata', uncarry(metadata, [CARRIER.kind])) };
}

/** The tool result in a part that was decoded as data. */
function toolResultIn(part: Part): ToolResult | undefined {
  if (!('data' in part) || !isObject(part.data) || part.metadata?.[CARRIER.kind] !== 'tool-result') return undefined;
  const { toolUseId, result = null } = part.data;
  return typeof toolUseId === 'string' ? { toolUseId, result } : undefined;
}

/** The status of a task with an open question, whose message contains the `inputRequest`. */
function withRequest(status: JsonObject): JsonObject {
  const { state, message } = status;
  if (state !== 'input-required' || !isObject(message) || message['inputRequest'] !== undefined) return status;
  const { messageId = '', parts, metadata } = message;
  const texts = Array.isArray(parts) ? (parts as readonly JsonValue[]) : [];
  const prompt = texts.map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
  const sensitive = isObject(metadata) && metadata[SENSITIVE] === true;
  const inputRequest = { kind: 'input-request', prompt, sensitive, requestId: messageId };
  return { ...status, message: { ...message, inputRequest } };
}

/** Restores `inputRequest` on the messages that carry one, and on the question of a task. */
function restoreRequests(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(restoreRequests);
  if (!isObject(json)) return json;
  const restored = restoredRequests(json);
  const { status } = restored;
  return isObject(status) ? { ...restored, status: withRequest(status) } : restored;
}

function restoredRequests(json: JsonObject): JsonObject {
  const { metadata } = json;
  const request = json['kind'] === 'message' && isObject(metadata) ? metadata[CARRIER.inputRequest] : undefined;
  const entries = Object.entries(json).map(([key, value]) => [
    key,
    key === 'metadata' || key === 'data' ? value : restoreRequests(value),
  ]);
  const copy = Object.fromEntries(entries) as JsonObject;
  if (request === undefined) return copy;
  const { metadata: _, ...message } = copy;
  return {
    ...message,
    ...member('metadata', uncarry(metadata as JsonObject, [CARRIER.inputRequest])),
    inputRequest: request,
  };
}

function member(key: string, value: JsonObject | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value };
}
