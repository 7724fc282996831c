import type { Message } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import { textOfParts } from '../../model/part-text.ts';
import { decodeBase64 } from '../../support/bytes.ts';
import type { Writable } from '../../support/writable.ts';
import type { IncomingFile, IncomingMessage } from '../handler.ts';
import { copyOf } from '../../support/json/json-value.ts';
import type { FetchFile } from '../engine-context.ts';

/** A copy of a message with its text. The handler may change it. */
export function incoming(message: Message): IncomingMessage {
  const copy = copyOf(message) as Writable<IncomingMessage>;
  copy.text = textOfParts(message.parts);
  return copy;
}

export interface FileAccess {
  readonly fetchFile: FetchFile | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The files in the parts of a message. */
export function filesOf(parts: readonly Part[], access: FileAccess): readonly IncomingFile[] {
  return parts.flatMap((part) => {
    if (!('raw' in part) && !('url' in part)) return [];
    const { filename, mediaType } = part;
    return {
      ...(filename !== undefined && { filename }),
      ...(mediaType !== undefined && { mediaType }),
      ...('url' in part && { url: part.url }),
      bytes: async () => ('raw' in part ? decodeBase64(part.raw) : fetched(part.url, access)),
    };
  });
}

function fetched(url: string, { fetchFile, maxBytes, signal }: FileAccess): Promise<Uint8Array> {
  if (fetchFile !== undefined) return fetchFile(url, { maxBytes, signal });
  throw new Error('Cannot read the file: it was sent by URL, and the engine has no fetchFile');
}
