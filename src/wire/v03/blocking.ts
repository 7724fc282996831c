import type { SendMessageConfiguration } from '../../model/operation.ts';
import { type Codec, defaulted } from '../codec.ts';
import { boolean } from '../values.ts';

/** `blocking` is the opposite of `returnImmediately`. Without it a send waits, as in all 0.3 SDKs. */
export const returnImmediately = defaulted<boolean>(
  {
    decode: (d, json) => !boolean.decode(d, json),
    encode: (value) => !value,
  },
  { wire: 'blocking' },
);

/** The specification does not define a default for `blocking`, so we always encode it. */
export function withBlocking(configuration: Codec<SendMessageConfiguration>): Codec<SendMessageConfiguration> {
  return {
    decode: configuration.decode,
    encode(value) {
      const written = configuration.encode(value) as Record<string, unknown>;
      written['blocking'] ??= true;
      return written;
    },
  };
}
