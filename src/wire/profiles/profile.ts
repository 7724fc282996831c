import type { JsonObject } from '../../model/json.ts';
import { type Codec, isObject } from '../codec.ts';
import type { Dialect, OperationCodecs, StreamEncoder } from '../dialect.ts';
import type { Repair } from '../decoder.ts';

/**
 * One known deviation of real peers from the protocol. Decoding always accepts it with a warning, except in strict
 * mode. Encoding uses it only at the path of a mounted profile.
 */
export interface Profile {
  readonly name: string;
  readonly repairs?: readonly Repair[];
  /** The dialect in which a server responds to such peers. */
  forServer?(dialect: Dialect): Dialect;
  /** The dialect in which a client sends to such peers. */
  forClient?(dialect: Dialect): Dialect;
}

/**
 * A dialect that passes all encoded results and stream items through `rewrite`. Cards are excluded: they contain no
 * messages, but names and parameters chosen by users that could look like one.
 */
export function rewriteResponses(dialect: Dialect, rewrite: (json: unknown) => unknown): Dialect {
  const operations = Object.fromEntries(
    Object.entries(dialect.operations).map(([name, codec]) => {
      const { method, params, result } = codec;
      const encode = (value: never): unknown => rewrite(result.encode(value));
      return [
        name,
        name === 'GetExtendedAgentCard' ? codec : { method, params, result: { decode: result.decode, encode } },
      ];
    }),
  ) as OperationCodecs;
  return {
    ...dialect,
    operations,
    createStreamEncoder() {
      const encoder = dialect.createStreamEncoder();
      const encode: StreamEncoder['encode'] = (event, closes) => encoder.encode(event, closes).map(rewrite);
      return encoder.skip === undefined ? { encode } : { encode, skip: encoder.skip };
    },
  };
}

/** A dialect that passes the encoded params of both send operations through `rewrite`. */
export function rewriteSends(dialect: Dialect, rewrite: (params: JsonObject) => JsonObject): Dialect {
  const { SendMessage, SendStreamingMessage } = dialect.operations;
  const rewritten = <T>({ decode, encode }: Codec<T>): Codec<T> => ({
    decode,
    encode: (value) => rewrite(encode(value) as JsonObject),
  });
  return {
    ...dialect,
    operations: {
      ...dialect.operations,
      ...(SendMessage && { SendMessage: { ...SendMessage, params: rewritten(SendMessage.params) } }),
      ...(SendStreamingMessage && {
        SendStreamingMessage: { ...SendStreamingMessage, params: rewritten(SendStreamingMessage.params) },
      }),
    },
  };
}

/** Applies `change` to every part of an encoded response: the objects in any list named `parts`. */
export function rewriteParts(json: unknown, change: (part: Record<string, unknown>) => unknown): unknown {
  if (Array.isArray(json)) return json.map((item) => rewriteParts(item, change));
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => {
      // Data of users can look like anything.
      if (key === 'metadata' || key === 'data') return [key, value];
      // An unknown member of a caller can have the same name and contain anything.
      if (key === 'parts' && Array.isArray(value)) {
        return [key, value.map((part: unknown) => (isObject(part) ? change(part) : part))];
      }
      return [key, rewriteParts(value, change)];
    }),
  );
}
