import type { SendMessageConfiguration } from '../../model/operation.ts';
import { type Codec, defaulted } from '../codec.ts';
import { boolean } from '../values.ts';

/** `blocking` says the opposite of `returnImmediately`; without it the caller waits, as every SDK of that time does. */
export const returnImmediately = defaulted<boolean>(
  {
    decode: (r, json) => !boolean.decode(r, json),
    encode: (value) => !value,
  },
  { wire: 'blocking' },
);

/** The text leaves open what a configuration without `blocking` means, so ours always say it. */
export function sayingBlocking(configuration: Codec<SendMessageConfiguration>): Codec<SendMessageConfiguration> {
  return {
    decode: configuration.decode,
    encode(value) {
      const written = configuration.encode(value) as Record<string, unknown>;
      written['blocking'] ??= true;
      return written;
    },
  };
}
