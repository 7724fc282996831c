import { type Codec, isObject } from '../codec.ts';

/**
 * An object that says by `kind` what it is. Where its place says that already, the examples of the specification leave
 * it out, and so do peers; it is read all the same.
 */
export function ofKind<T>(kind: string, codec: Codec<T>): Codec<T> {
  return {
    decode(r, json) {
      if (isObject(json) && json['kind'] !== kind) r.tolerate('kind-missing', `'${kind}'`, 'kind');
      return codec.decode(r, json);
    },
    encode: codec.encode,
  };
}
