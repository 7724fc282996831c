import type { AgentCapabilities, AgentCard, AgentSkill } from '../../model/card.ts';
import { exposesTransitions } from '../../model/transitions.ts';
import { defined } from '../../support/defined.ts';
import { extension, provider, TEXT_ONLY } from '../card-parts.ts';
import { type Codec, defaulted, expected, object, optional, required } from '../codec.ts';
import type { ProtocolVersion } from '../dialect.ts';
import type { Reader } from '../reader.ts';
import { boolean, id, list, map, string, strings } from '../values.ts';
import { interfacesOf, isOf, type Transport, transportsOf } from './card-interfaces.ts';
import { fromTagged, type SecurityWords, type TaggedSecured, toTagged } from './card-security.ts';
import { securityRequirement, taggedScheme } from './security.ts';

/** How the cards of one version look. 0.2 is 0.3 without what came later. */
interface CardWords extends SecurityWords {
  readonly version: ProtocolVersion;
  /** What the card calls that version. */
  readonly protocolVersion: string;
  /** Whether a card must say its version; those before 0.2.5 do not. */
  readonly saysVersion: boolean;
}

/** `extendedAgentCard` is a member of the card itself. */
interface UrlCapabilities extends Omit<AgentCapabilities, 'extendedAgentCard'> {
  readonly stateTransitionHistory?: boolean;
}

/** The wire form: one main address instead of a list of interfaces. */
interface UrlCard extends Omit<AgentCard, 'supportedInterfaces' | 'capabilities' | 'signatures' | 'securitySchemes'> {
  readonly protocolVersion?: string;
  readonly url: string;
  readonly preferredTransport?: string;
  readonly additionalInterfaces?: readonly Transport[];
  readonly capabilities: UrlCapabilities;
  readonly securitySchemes?: NonNullable<TaggedSecured['securitySchemes']>;
  readonly supportsAuthenticatedExtendedCard?: boolean;
}

/**
 * The address of an agent. Some agents do not know theirs and publish an empty one; it is kept, so that a client finds
 * an interface and can use the address where it found the card.
 */
export const address: Codec<string> = {
  decode(r, json) {
    if (json === '') r.tolerate('address-empty', 'the address of the agent');
    return string.decode(r, json);
  },
  encode: (url) => url,
};

const transport: Codec<Transport> = object<Transport>({
  url: required(address),
  transport: expected(string, () => 'JSONRPC'),
});

const capabilities: Codec<UrlCapabilities> = object<UrlCapabilities>({
  streaming: optional(boolean),
  pushNotifications: optional(boolean),
  stateTransitionHistory: optional(boolean),
  extensions: defaulted(list(extension)),
});

/** Both names of the requirements are met in the field; the other one is read too, lest a closed agent look open. */
const requirements = defaulted(list(securityRequirement), { wire: 'security', aliases: ['securityRequirements'] });

const skill: Codec<AgentSkill> = object<AgentSkill>({
  id: required(id),
  name: required(string),
  description: expected(string, () => ''),
  tags: expected(strings, () => []),
  examples: defaulted(strings),
  inputModes: defaulted(strings),
  outputModes: defaulted(strings),
  securityRequirements: requirements,
});

const urlCard: Codec<UrlCard> = object<UrlCard>({
  protocolVersion: optional(string),
  name: required(string),
  description: expected(string, () => ''),
  url: expected(address, () => ''),
  preferredTransport: defaulted(string),
  additionalInterfaces: defaulted(list(transport)),
  iconUrl: optional(string),
  provider: optional(provider),
  version: expected(string, () => ''),
  documentationUrl: optional(string),
  capabilities: expected(capabilities, () => ({})),
  securitySchemes: defaulted(map(taggedScheme)),
  securityRequirements: requirements,
  defaultInputModes: expected(strings, () => TEXT_ONLY),
  defaultOutputModes: expected(strings, () => TEXT_ONLY),
  skills: expected(list(skill), () => []),
  supportsAuthenticatedExtendedCard: optional(boolean),
});

/**
 * Cards of the time when an agent had one `url`. Everything that any of these versions can say is read; only what this
 * one can say is written. Signatures are not copied in either direction, for they cover the bytes of another form.
 */
export function createCardCodec(words: CardWords): Codec<AgentCard> {
  return {
    decode(r, json) {
      const mark = r.mark();
      const card = urlCard.decode(r, json);
      if (r.failedSince(mark)) return card as object as AgentCard;
      checkVersion(r, card.protocolVersion, words);
      return toModel(r, card, words.version);
    },
    encode: (card) => urlCard.encode(fromModel(card, words)),
  };
}

function checkVersion(r: Reader, said: string | undefined, { version, saysVersion }: CardWords): void {
  if (said === undefined) {
    if (saysVersion) r.tolerate('member-missing', 'the member protocolVersion', 'protocolVersion');
  } else if (!isOf(version, said)) {
    r.warn('protocol-version-other', `the card says ${said.slice(0, 40)} and is read as ${version}`, 'protocolVersion');
  }
}

function toModel(r: Reader, card: UrlCard, version: ProtocolVersion): AgentCard {
  const { streaming, pushNotifications, extensions } = card.capabilities;
  return defined({
    name: card.name,
    description: card.description,
    supportedInterfaces: interfacesOf(card, version),
    provider: card.provider,
    version: card.version,
    documentationUrl: card.documentationUrl,
    capabilities: defined({
      streaming,
      pushNotifications,
      extensions,
      extendedAgentCard: card.supportsAuthenticatedExtendedCard,
    }),
    ...fromTagged(r, card),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    iconUrl: card.iconUrl,
  });
}

function fromModel(card: AgentCard, words: CardWords): UrlCard {
  const transports = transportsOf(card, words.version);
  const { streaming, pushNotifications, extensions, extendedAgentCard } = card.capabilities;
  return defined({
    protocolVersion: words.protocolVersion,
    name: card.name,
    description: card.description,
    url: transports[0].url,
    preferredTransport: transports[0].transport,
    additionalInterfaces: transports,
    iconUrl: card.iconUrl,
    provider: card.provider,
    version: card.version,
    documentationUrl: card.documentationUrl,
    capabilities: defined({
      streaming,
      pushNotifications,
      stateTransitionHistory: exposesTransitions(card),
      extensions,
    }),
    ...toTagged(card, words),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    supportsAuthenticatedExtendedCard: extendedAgentCard,
  });
}

export const card: Codec<AgentCard> = createCardCodec({
  version: '0.3',
  protocolVersion: '0.3.0',
  saysVersion: true,
  mutualTls: true,
  oauth2MetadataUrl: true,
  skillSecurity: true,
});
