import { type Codec, isObject } from '../codec.ts';

/**
 * An object tagged by `kind`. The tag is optional for decoding, because the examples of the specification and some
 * peers omit it where the position determines the type.
 */
export function ofKind<T>(kind: string, codec: Codec<T>): Codec<T> {
  return {
    decode(d, json) {
      if (isObject(json) && json['kind'] !== kind) d.tolerate('kind-missing', `'${kind}'`, 'kind');
      return codec.decode(d, json);
    },
    encode: codec.encode,
  };
}
