import type { JsonObject } from './json.ts';
import type { SecurityRequirement, SecurityScheme } from './security.ts';

/** An endpoint of an agent. */
export interface AgentInterface {
  /** URL that receives the requests. */
  readonly url: string;
  /** `JSONRPC`, `HTTP+JSON`, `GRPC` or the URI of a custom binding. */
  readonly protocolBinding: string;
  /** Tenant to send with every request to this interface. */
  readonly tenant?: string;
  /** Protocol version in the form `Major.Minor`, for example `1.0`. */
  readonly protocolVersion: string;
}

/** Organization that runs the agent. */
export interface AgentProvider {
  /** Website of the organization. */
  readonly url: string;
  /** Name of the organization. */
  readonly organization: string;
}

/** A protocol extension that the agent supports. */
export interface AgentExtension {
  /** URI that identifies the extension. */
  readonly uri: string;
  /** How the agent uses the extension. */
  readonly description?: string;
  /** Whether clients must support the extension. Default: false. */
  readonly required?: boolean;
  /** Parameters defined by the extension. */
  readonly params?: JsonObject;
}

/** Optional protocol features of the agent. */
export interface AgentCapabilities {
  /** Whether the agent supports `SendStreamingMessage` and `SubscribeToTask`. */
  readonly streaming?: boolean;
  /** Whether the agent sends push notifications to webhooks. */
  readonly pushNotifications?: boolean;
  /** Extensions that the agent supports. */
  readonly extensions?: readonly AgentExtension[];
  /** Whether authenticated callers can fetch an extended card. */
  readonly extendedAgentCard?: boolean;
}

/** One thing that the agent can do. */
export interface AgentSkill {
  /** Identifier, unique within the agent. */
  readonly id: string;
  /** Human-readable name. */
  readonly name: string;
  /** Description of the skill and of when to use it. */
  readonly description: string;
  /** Keywords for search and discovery. */
  readonly tags: readonly string[];
  /** Example prompts for the skill. */
  readonly examples?: readonly string[];
  /** Accepted media types. Default: `defaultInputModes` of the card. */
  readonly inputModes?: readonly string[];
  /** Produced media types. Default: `defaultOutputModes` of the card. */
  readonly outputModes?: readonly string[];
  /** Alternative sets of schemes that this skill requires. */
  readonly securityRequirements?: readonly SecurityRequirement[];
}

/** A JWS signature over the canonical form of the card (1.0 §8.4). */
export interface AgentCardSignature {
  /** Protected JWS header, base64url-encoded JSON. */
  readonly protected: string;
  /** Signature, base64url-encoded. */
  readonly signature: string;
  /** Unprotected JWS header. The signature does not cover it. */
  readonly header?: JsonObject;
}

/** The public description of an agent (1.0 §4.4.1). */
export interface AgentCard {
  /** Human-readable name of the agent. */
  readonly name: string;
  /** Description of the agent. */
  readonly description: string;
  /** Interfaces of the agent, the preferred one first. */
  readonly supportedInterfaces: readonly AgentInterface[];
  /** Organization that runs the agent. */
  readonly provider?: AgentProvider;
  /** Version of the agent itself, not of the protocol. */
  readonly version: string;
  /** URL of the documentation. */
  readonly documentationUrl?: string;
  /** Optional protocol features of the agent. */
  readonly capabilities: AgentCapabilities;
  /** Authentication schemes by name. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  /** Alternative sets of schemes: a caller must satisfy one of them. */
  readonly securityRequirements?: readonly SecurityRequirement[];
  /** Media types that every skill accepts unless it has its own list. */
  readonly defaultInputModes: readonly string[];
  /** Media types that every skill produces unless it has its own list. */
  readonly defaultOutputModes: readonly string[];
  /** Skills of the agent. */
  readonly skills: readonly AgentSkill[];
  /** Signatures over the canonical form of the card. */
  readonly signatures?: readonly AgentCardSignature[];
  /** URL of an icon. */
  readonly iconUrl?: string;
}
