import type { AgentExtension, AgentProvider } from '../../model/card.ts';
import type { SecurityRequirement, StringList } from '../../model/security.ts';
import { type Codec, defaulted, expected, object, optional, required } from '../codec.ts';
import { boolean, map, nonEmptyString, string, strings, struct } from '../values.ts';

/** Default input and output modes of a card. Frozen, because decoded cards share it. */
export const TEXT_ONLY: readonly string[] = Object.freeze(['text/plain']);

export const provider: Codec<AgentProvider> = object<AgentProvider>({
  organization: required(string),
  url: expected(string, () => ''),
});

export const extension: Codec<AgentExtension> = object<AgentExtension>({
  uri: required(nonEmptyString),
  description: defaulted(string),
  required: defaulted(boolean),
  params: optional(struct),
});

/** `{schemes: {name: {list: [scope]}}}`, the format of 1.0 and of the 0.3 protocol definition. */
export const wrappedRequirement: Codec<SecurityRequirement> = object<SecurityRequirement>({
  schemes: expected(map(object<StringList>({ list: defaulted(strings) })), () => ({})),
});

const scopesByScheme = map(strings);

/** `{name: [scope]}`, the JSON format of 0.2 and 0.3. */
export const bareRequirement: Codec<SecurityRequirement> = {
  decode(d, json) {
    const bare = Object.entries(scopesByScheme.decode(d, json));
    return { schemes: Object.fromEntries(bare.map(([name, list]) => [name, list.length === 0 ? {} : { list }])) };
  },
  encode: ({ schemes }) => Object.fromEntries(Object.entries(schemes).map(([name, { list = [] }]) => [name, list])),
};
