import type { JsonObject } from '../../model/json.ts';
import { defined } from '../../support/defined.ts';
import { isObject } from '../codec.ts';
import { type Profile, rewriteAnswers, rewriteParts, rewriteSends } from './profile.ts';

const TAGS: readonly unknown[] = ['text', 'file', 'data'];

/**
 * Parts tagged `type`, as 0.1 had it, inside messages that are otherwise of 0.2 or 0.3. The stream example of the 0.2
 * specification does it, and so do servers that claim 0.3. Parts without any tag are told by their members.
 */
export const typeTag: Profile = {
  name: 'type-tag',
  repairs: [
    {
      code: 'part-type-tag',
      seam: 'part',
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
      seam: 'part',
      expected: 'the member kind',
      instead: 'told by the content',
      apply(part) {
        if (part['kind'] !== undefined || part['type'] !== undefined) return undefined;
        if (typeof part['text'] === 'string') return { kind: 'text', ...part };
        if (isObject(part['file'])) return { kind: 'file', ...part };
        if (typeof part['raw'] === 'string' || typeof part['url'] === 'string') return fileOf1(part);
        return 'data' in part ? { kind: 'data', ...part } : undefined;
      },
    },
  ],
  answer: (dialect) => rewriteAnswers(dialect, retagged),
  speak: (dialect) => rewriteSends(dialect, (params) => retagged(params) as JsonObject),
};

function retagged(json: unknown): unknown {
  return rewriteParts(json, ({ kind, ...part }) => ({ type: kind, ...part }));
}

/** A file in the form of 1.0 has its members side by side. */
function fileOf1({ raw, url, filename, mediaType, metadata }: JsonObject): JsonObject {
  const file = defined({ bytes: raw, uri: url, name: filename, mimeType: mediaType });
  return defined({ kind: 'file', file, metadata });
}
