import type { AgentCapabilities, AgentCard, AgentSkill } from '../../model/card.ts';
import { exposesTransitions } from '../../model/transitions.ts';
import { defined } from '../../support/defined.ts';
import { extension, provider, TEXT_ONLY } from '../card/card-parts.ts';
import { type Codec, defaulted, expected, object, optional, required } from '../codec.ts';
import type { Decoder } from '../decoder.ts';
import { boolean, id, list, map, string, strings } from '../values.ts';
import type { ProtocolVersion } from '../version.ts';
import { interfacesOf, isOf, type Transport, transportsOf } from './card-interfaces.ts';
import { fromTagged, type SecurityFeatures, type TaggedSecured, toTagged } from './card-security.ts';
import { securityRequirement, taggedScheme } from './security.ts';

/** The card format of one version. 0.2 is 0.3 without later additions. */
interface CardFormat extends SecurityFeatures {
  readonly version: ProtocolVersion;
  /** The version as the card states it. */
  readonly protocolVersion: string;
  /** Whether a card must state its version. Cards before 0.2.5 do not. */
  readonly requiresVersion: boolean;
}

/** `extendedAgentCard` is a member of the card itself. */
interface UrlCapabilities extends Omit<AgentCapabilities, 'extendedAgentCard'> {
  readonly stateTransitionHistory?: boolean;
}

/** The wire format: one main URL instead of a list of interfaces. */
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
 * The URL of an agent. Some agents do not know theirs and publish an empty one. It is kept, so that a client has an
 * interface and can use the URL of the card instead.
 */
export const address: Codec<string> = {
  decode(d, json) {
    if (json === '') d.tolerate('address-empty', 'the URL of the agent');
    return string.decode(d, json);
  },
  encode: (url) => url,
};

const transport = object<Transport>({
  url: required(address),
  transport: expected(string, () => 'JSONRPC'),
});

const capabilities = object<UrlCapabilities>({
  streaming: optional(boolean),
  pushNotifications: optional(boolean),
  stateTransitionHistory: optional(boolean),
  extensions: defaulted(list(extension)),
});

/**
 * Cards with either name of the requirements exist. Both are decoded, because otherwise a protected agent could appear
 * open.
 */
const requirements = defaulted(list(securityRequirement), { wire: 'security', aliases: ['securityRequirements'] });

const skill = object<AgentSkill>({
  id: required(id),
  name: required(string),
  description: expected(string, () => ''),
  tags: expected(strings, () => []),
  examples: defaulted(strings),
  inputModes: defaulted(strings),
  outputModes: defaulted(strings),
  securityRequirements: requirements,
});

const urlCard = object<UrlCard>({
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
 * Cards with one `url`. Decodes every member that any of these versions has, and encodes only those of this version.
 * Signatures are never copied, because they cover the bytes of another form.
 */
export function createCardCodec(format: CardFormat): Codec<AgentCard> {
  return {
    decode(d, json) {
      const mark = d.mark();
      const card = urlCard.decode(d, json);
      if (d.failedSince(mark)) return card as object as AgentCard;
      checkVersion(d, card.protocolVersion, format);
      return toModel(d, card, format.version);
    },
    encode: (card) => urlCard.encode(fromModel(card, format)),
  };
}

function checkVersion(d: Decoder, stated: string | undefined, { version, requiresVersion }: CardFormat): void {
  if (stated === undefined) {
    if (requiresVersion) d.tolerate('member-missing', 'the member protocolVersion', 'protocolVersion');
  } else if (!isOf(version, stated)) {
    d.warn(
      'protocol-version-other',
      `the card specifies ${stated.slice(0, 40)}; read as ${version}`,
      'protocolVersion',
    );
  }
}

function toModel(d: Decoder, card: UrlCard, version: ProtocolVersion): AgentCard {
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
    ...fromTagged(d, card),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    iconUrl: card.iconUrl,
  });
}

function fromModel(card: AgentCard, format: CardFormat): UrlCard {
  const transports = transportsOf(card, format.version);
  const { streaming, pushNotifications, extensions, extendedAgentCard } = card.capabilities;
  return defined({
    protocolVersion: format.protocolVersion,
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
    ...toTagged(card, format),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    supportsAuthenticatedExtendedCard: extendedAgentCard,
  });
}

export const card: Codec<AgentCard> = createCardCodec({
  version: '0.3',
  protocolVersion: '0.3.0',
  requiresVersion: true,
  mutualTls: true,
  oauth2MetadataUrl: true,
  skillSecurity: true,
});
