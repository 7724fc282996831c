import type { AgentExtension, AgentProvider } from '../model/card.ts';
import type { SecurityRequirement, StringList } from '../model/security.ts';
import { type Codec, defaulted, expected, object, optional, required } from './codec.ts';
import { boolean, map, someText, string, strings, struct } from './values.ts';

/** What cards of all versions have in common. */

/** What an agent takes and gives if its card does not say. Frozen, because it is part of the cards that are handed out. */
export const TEXT_ONLY: readonly string[] = Object.freeze(['text/plain']);

export const provider: Codec<AgentProvider> = object<AgentProvider>({
  organization: required(string),
  url: expected(string, () => ''),
});

export const extension: Codec<AgentExtension> = object<AgentExtension>({
  uri: required(someText),
  description: defaulted(string),
  required: defaulted(boolean),
  params: optional(struct),
});

/** `{schemes: {name: {list: [scope]}}}`, as 1.0 and the protocol definition of 0.3 have it. */
export const wrappedRequirement: Codec<SecurityRequirement> = object<SecurityRequirement>({
  schemes: expected(map(object<StringList>({ list: defaulted(strings) })), () => ({})),
});

const scopesByScheme = map(strings);

/** `{name: [scope]}`, as the JSON of 0.2 and 0.3 has it. */
export const bareRequirement: Codec<SecurityRequirement> = {
  decode(r, json) {
    const bare = Object.entries(scopesByScheme.decode(r, json));
    return { schemes: Object.fromEntries(bare.map(([name, list]) => [name, list.length === 0 ? {} : { list }])) };
  },
  encode: ({ schemes }) => Object.fromEntries(Object.entries(schemes).map(([name, { list = [] }]) => [name, list])),
};
