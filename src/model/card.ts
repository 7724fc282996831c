import type { JsonObject } from './json.ts';
import type { SecurityRequirement, SecurityScheme } from './security.ts';

/**
 * One way to reach the agent. `protocolBinding` is `JSONRPC`, `HTTP+JSON`, `GRPC` or the URI of a custom one (1.0 §5.8),
 * `protocolVersion` is `Major.Minor`.
 */
export interface AgentInterface {
  readonly url: string;
  readonly protocolBinding: string;
  readonly tenant?: string;
  readonly protocolVersion: string;
}

export interface AgentProvider {
  readonly url: string;
  readonly organization: string;
}

export interface AgentExtension {
  readonly uri: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly params?: JsonObject;
}

export interface AgentCapabilities {
  readonly streaming?: boolean;
  readonly pushNotifications?: boolean;
  readonly extensions?: readonly AgentExtension[];
  readonly extendedAgentCard?: boolean;
}

export interface AgentSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples?: readonly string[];
  readonly inputModes?: readonly string[];
  readonly outputModes?: readonly string[];
  readonly securityRequirements?: readonly SecurityRequirement[];
}

/** A JWS over the canonical form of the card (1.0 §8.4). */
export interface AgentCardSignature {
  readonly protected: string;
  readonly signature: string;
  readonly header?: JsonObject;
}

/** What an agent says of itself (1.0 §4.4.1). The first interface is the preferred one. */
export interface AgentCard {
  readonly name: string;
  readonly description: string;
  readonly supportedInterfaces: readonly AgentInterface[];
  readonly provider?: AgentProvider;
  readonly version: string;
  readonly documentationUrl?: string;
  readonly capabilities: AgentCapabilities;
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  readonly securityRequirements?: readonly SecurityRequirement[];
  readonly defaultInputModes: readonly string[];
  readonly defaultOutputModes: readonly string[];
  readonly skills: readonly AgentSkill[];
  readonly signatures?: readonly AgentCardSignature[];
  readonly iconUrl?: string;
}
