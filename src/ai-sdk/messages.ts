import type { ModelMessage } from 'ai';
import type { ConversationTurn, IncomingFile, TaskContext } from '../server/index.ts';

/** The content of a message of the caller, in the form that all versions of the AI SDK accept. */
type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'file';
      readonly data: string | Uint8Array;
      readonly mediaType: string;
      readonly filename?: string;
    };

const DEFAULT_MEDIA_TYPE = 'application/octet-stream';

/**
 * Returns the conversation so far as messages for a model, with the files of the caller. Files of the current message that were sent
 * by URL are fetched, under the rules for private addresses and sizes; files of earlier messages are named with their URL.
 *
 * @example
 * const result = streamText({ model, messages: await toModelMessages(ctx) });
 */
export async function toModelMessages(
  ctx: Pick<TaskContext, 'conversation' | 'files'>,
  options?: Parameters<TaskContext['conversation']>[0],
): Promise<ModelMessage[]> {
  const turns = await ctx.conversation(options);
  const messages = await Promise.all(
    turns.map((turn, i) =>
      turn.role === 'agent' ? fromAgent(turn) : fromCaller(turn, i === turns.length - 1 ? ctx.files : []),
    ),
  );
  // Some providers reject messages without content.
  return messages.filter(({ content }) => content.length > 0);
}

async function fromAgent({ parts, text }: ConversationTurn): Promise<ModelMessage> {
  const files = parts.flatMap((part) =>
    'raw' in part || 'url' in part ? `[file: ${part.filename ?? part.mediaType ?? 'unnamed'}]` : [],
  );
  return { role: 'assistant', content: [text, ...files].filter((one) => one !== '').join('\n') };
}

async function fromCaller({ parts, text }: ConversationTurn, files: readonly IncomingFile[]): Promise<ModelMessage> {
  if (!parts.some((part) => 'raw' in part || 'url' in part)) return { role: 'user', content: text };
  let file = 0;
  const content = await Promise.all(
    parts.map(async (part): Promise<UserPart> => {
      if ('text' in part) return { type: 'text', text: part.text };
      if ('data' in part) return { type: 'text', text: JSON.stringify(part.data) };
      const { mediaType = DEFAULT_MEDIA_TYPE, filename } = part;
      const named = { mediaType, ...(filename !== undefined && { filename }) };
      const current = files[file++];
      if (current !== undefined) return { type: 'file', data: await current.bytes(), ...named };
      if ('raw' in part) return { type: 'file', data: part.raw, ...named };
      return { type: 'text', text: `[file: ${filename ?? mediaType}, ${part.url}]` };
    }),
  );
  return { role: 'user', content };
}
