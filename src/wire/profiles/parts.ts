import type { JsonObject } from '../../model/json.ts';
import { isBase64 } from '../../support/base64.ts';
import { defined } from '../../support/defined.ts';
import { isObject } from '../codec.ts';
import { type Profile, rewriteParts, rewriteResponses, rewriteSends } from './profile.ts';

const TAGS: readonly unknown[] = ['text', 'file', 'data'];

/**
 * Parts tagged `type` as in 0.1, inside messages of 0.2 or 0.3. The stream example of the 0.2 specification has them,
 * and servers that claim 0.3 send them. A part without a tag is identified by its members.
 */
export const typeTag: Profile = {
  name: 'type-tag',
  repairs: [
    {
      code: 'part-type-tag',
      point: 'part',
      expected: 'the member kind',
      instead: "read 'type' instead",
      apply({ type, ...part }) {
        return part['kind'] === undefined && TAGS.includes(type) && type !== undefined
          ? { kind: type, ...part }
          : undefined;
      },
    },
    {
      code: 'part-tag-missing',
      point: 'part',
      expected: 'the member kind',
      instead: 'inferred it from the content',
      apply(part) {
        if (part['kind'] !== undefined || part['type'] !== undefined) return undefined;
        if (typeof part['text'] === 'string') return { kind: 'text', ...part };
        if (isObject(part['file'])) return { kind: 'file', ...part };
        if (typeof part['raw'] === 'string' || typeof part['url'] === 'string') return fileOf1(part);
        return 'data' in part ? { kind: 'data', ...part } : undefined;
      },
    },
  ],
  forServer: (dialect) => rewriteResponses(dialect, retagged),
  forClient: (dialect) => rewriteSends(dialect, (params) => retagged(params) as JsonObject),
};

function retagged(json: unknown): unknown {
  return rewriteParts(json, ({ kind, ...part }) => ({ type: kind, ...part }));
}

/** A file in the 1.0 format has its members next to each other. */
function fileOf1({ raw, url, filename, mediaType, metadata }: JsonObject): JsonObject {
  const file = defined({ bytes: raw, uri: url, name: filename, mimeType: mediaType });
  return defined({ kind: 'file', file, metadata });
}

/**
 * File content under a name that no version defines: `data` in the stream example of the 0.2 specification,
 * `fileWithBytes` and `fileWithUri` in a migration guide that mixes both formats of 0.3.
 */
export const fileData: Profile = {
  name: 'file-data',
  repairs: [
    {
      code: 'file-content-misnamed',
      point: 'file',
      expected: 'bytes or uri',
      instead: 'read the content from another member',
      apply({ data, fileWithBytes, fileWithUri, ...file }) {
        const bytes = fileWithBytes ?? data;
        // Anything other than base64 is not content, and the error should refer to the member that was sent.
        if (typeof bytes === 'string' && isBase64(bytes)) return { ...file, bytes };
        return typeof fileWithUri === 'string' ? { ...file, uri: fileWithUri } : undefined;
      },
    },
  ],
};
