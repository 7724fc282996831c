import { isObject, isSet } from '../codec.ts';
import { type Profile, rewriteSends } from './profile.ts';

/** `async: true` in the params of a send, where 0.3 says `configuration.blocking: false`. */
export const asyncFlag: Profile = {
  name: 'async-flag',
  repairs: [
    {
      code: 'async-flag',
      seam: 'sendParams',
      expected: 'configuration.blocking',
      instead: 'read async instead',
      apply({ async, ...params }) {
        if (typeof async !== 'boolean') return undefined;
        const configuration = params['configuration'] ?? {};
        if (!isObject(configuration)) return undefined;
        if (isSet(configuration['blocking'])) return params;
        return { ...params, configuration: { ...configuration, blocking: !async } };
      },
    },
  ],
  speak: (dialect) =>
    rewriteSends(dialect, (params) => {
      const { configuration } = params;
      return isObject(configuration) && configuration['blocking'] === false ? { ...params, async: true } : params;
    }),
};
