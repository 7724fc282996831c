import type { AgentCapabilities, AgentCard, AgentProvider, AgentSkill } from '../../model/card.ts';
import { exposesTransitions } from '../../model/transitions.ts';
import { defined } from '../../support/defined.ts';
import { TEXT_ONLY } from '../card/card-parts.ts';
import { type Codec, defaulted, expected, object, optional, required } from '../codec.ts';
import { boolean, id, list, string, strings } from '../values.ts';
import { address } from '../v03/card.ts';
import { transportsOf } from '../v03/card-interfaces.ts';
import { fromSchemeNames, toSchemeNames } from './authentication.ts';

/**
 * `credentials` contains a secret for clients of private cards. The model has no member for it, and it is never
 * encoded.
 */
interface Authentication {
  readonly schemes: readonly string[];
}

interface FirstCapabilities extends Pick<AgentCapabilities, 'streaming' | 'pushNotifications'> {
  readonly stateTransitionHistory?: boolean;
}

type FirstProvider = Pick<AgentProvider, 'organization'> & Partial<AgentProvider>;
type FirstSkill = Omit<AgentSkill, 'description' | 'tags' | 'securityRequirements'> &
  Partial<Pick<AgentSkill, 'description' | 'tags'>>;

interface FirstCard {
  readonly name: string;
  readonly description?: string;
  readonly url: string;
  readonly provider?: FirstProvider;
  readonly version: string;
  readonly documentationUrl?: string;
  readonly capabilities: FirstCapabilities;
  readonly authentication?: Authentication;
  readonly defaultInputModes?: readonly string[];
  readonly defaultOutputModes?: readonly string[];
  readonly skills: readonly FirstSkill[];
}

/** Plain text is `text` in the 0.1 schema and `text/plain` in its prose. */
const modes: Codec<readonly string[]> = {
  decode: (d, json) => strings.decode(d, json).map((mode) => (mode === 'text' ? 'text/plain' : mode)),
  encode: (value) => value,
};

const firstCard = object<FirstCard>({
  name: required(string),
  description: optional(string),
  url: expected(address, () => ''),
  provider: optional(object<FirstProvider>({ organization: required(string), url: defaulted(string) })),
  version: expected(string, () => ''),
  documentationUrl: optional(string),
  capabilities: expected(
    object<FirstCapabilities>({
      streaming: optional(boolean),
      pushNotifications: optional(boolean),
      stateTransitionHistory: optional(boolean),
    }),
    () => ({}),
  ),
  authentication: optional(object<Authentication>({ schemes: expected(strings, () => []) })),
  defaultInputModes: optional(modes),
  defaultOutputModes: optional(modes),
  skills: expected(
    list(
      object<FirstSkill>({
        id: required(id),
        name: required(string),
        description: optional(string),
        tags: optional(strings),
        examples: defaulted(strings),
        inputModes: defaulted(modes),
        outputModes: defaulted(modes),
      }),
    ),
    () => [],
  ),
});

/**
 * Cards of 0.1: one URL for JSON-RPC, and the names of authentication schemes. Icons, extensions, extended cards,
 * requirements of skills, scopes and all details of schemes are lost.
 */
export const card: Codec<AgentCard> = {
  decode(d, json) {
    const mark = d.mark();
    const first = firstCard.decode(d, json);
    if (d.failedSince(mark)) return first as object as AgentCard;
    const { streaming, pushNotifications } = first.capabilities;
    return defined({
      name: first.name,
      description: first.description ?? '',
      supportedInterfaces: [{ url: first.url, protocolBinding: 'JSONRPC', protocolVersion: '0.1' }],
      provider: first.provider && { url: '', ...first.provider },
      version: first.version,
      documentationUrl: first.documentationUrl,
      capabilities: defined({ streaming, pushNotifications }),
      ...fromSchemeNames(first.authentication?.schemes ?? []),
      defaultInputModes: first.defaultInputModes ?? TEXT_ONLY,
      defaultOutputModes: first.defaultOutputModes ?? TEXT_ONLY,
      skills: first.skills.map((skill) => ({ description: '', tags: [], ...skill })),
    });
  },
  encode(value) {
    const schemes = toSchemeNames(value);
    const { streaming, pushNotifications } = value.capabilities;
    return firstCard.encode(
      defined({
        ...value,
        url: addressOf(value),
        capabilities: defined({ streaming, pushNotifications, stateTransitionHistory: exposesTransitions(value) }),
        authentication: schemes.length === 0 ? undefined : { schemes },
      }),
    );
  },
};

function addressOf({ supportedInterfaces, ...card }: AgentCard): string {
  const usable = supportedInterfaces.filter(({ protocolBinding }) => protocolBinding === 'JSONRPC');
  return transportsOf({ ...card, supportedInterfaces: usable }, '0.1')[0].url;
}
