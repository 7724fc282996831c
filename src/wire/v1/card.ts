import type { AgentCapabilities, AgentCard, AgentCardSignature, AgentInterface, AgentSkill } from '../../model/card.ts';
import { extension, provider, TEXT_ONLY } from '../card/card-parts.ts';
import { type Codec, defaulted, expected, objectAsReceived, optional, required } from '../codec.ts';
import { boolean, id, list, nonEmptyString, string, strings, struct } from '../values.ts';
import { securityRequirement, securitySchemes } from './security.ts';

/** Some cards have custom bindings without a version. Only 1.0 has custom bindings (1.0 §5.8), so it is assumed. */
const agentInterface = objectAsReceived<AgentInterface>({
  url: required(nonEmptyString),
  protocolBinding: required(nonEmptyString),
  tenant: defaulted(string),
  protocolVersion: expected(nonEmptyString, () => '1.0'),
});

const capabilities = objectAsReceived<AgentCapabilities>({
  streaming: optional(boolean),
  pushNotifications: optional(boolean),
  extensions: defaulted(list(extension)),
  extendedAgentCard: optional(boolean),
});

/** The older name is also decoded, because otherwise a protected agent could appear open. */
const requirements = defaulted(list(securityRequirement), { aliases: ['security'] });

const skill = objectAsReceived<AgentSkill>({
  id: required(id),
  name: required(string),
  description: expected(string, () => ''),
  tags: expected(strings, () => []),
  examples: defaulted(strings),
  inputModes: defaulted(strings),
  outputModes: defaulted(strings),
  securityRequirements: requirements,
});

const signature = objectAsReceived<AgentCardSignature>({
  protected: required(nonEmptyString),
  signature: required(nonEmptyString),
  header: optional(struct),
});

export const card: Codec<AgentCard> = objectAsReceived<AgentCard>({
  name: required(string),
  description: expected(string, () => ''),
  supportedInterfaces: required(list(agentInterface, 1)),
  provider: optional(provider),
  version: expected(string, () => ''),
  documentationUrl: optional(string),
  capabilities: expected(capabilities, () => ({})),
  securitySchemes: defaulted(securitySchemes),
  securityRequirements: requirements,
  defaultInputModes: expected(strings, () => TEXT_ONLY),
  defaultOutputModes: expected(strings, () => TEXT_ONLY),
  skills: expected(list(skill), () => []),
  signatures: defaulted(list(signature)),
  iconUrl: optional(string),
});
