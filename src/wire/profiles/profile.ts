import type { JsonObject } from '../../model/json.ts';
import { type Codec, isObject } from '../codec.ts';
import type { Dialect, OperationCodecs, StreamEncoder } from '../dialect.ts';
import type { Repair } from '../reader.ts';

/**
 * One thing that real peers do differently from the protocol. Reading it is always on and leaves a warning; `strict`
 * turns it off. Answering in the same way happens only where a mount asks for it.
 */
export interface Profile {
  readonly name: string;
  readonly repairs?: readonly Repair[];
  /** The dialect as such peers want to be answered. */
  answer?(dialect: Dialect): Dialect;
  /** The dialect as such peers want to be spoken to. */
  speak?(dialect: Dialect): Dialect;
}

/**
 * A dialect whose answers, results and stream items alike, pass through `rewrite` last. Only a card does not: it holds no
 * messages, but names and parameters that others chose and that may look like some.
 */
export function rewriteAnswers(dialect: Dialect, rewrite: (json: unknown) => unknown): Dialect {
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

/** A dialect whose requests with a message pass through `rewrite` last. */
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

/** Applies `change` to every part of an encoded answer: the objects in any list named `parts`. */
export function rewriteParts(json: unknown, change: (part: Record<string, unknown>) => unknown): unknown {
  if (Array.isArray(json)) return json.map((item) => rewriteParts(item, change));
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => {
      // Users' own data may look like anything.
      if (key === 'metadata' || key === 'data') return [key, value];
      // Unknown members of a caller may have the same name, and hold anything.
      if (key === 'parts' && Array.isArray(value)) {
        return [key, value.map((part: unknown) => (isObject(part) ? change(part) : part))];
      }
      return [key, rewriteParts(value, change)];
    }),
  );
}
