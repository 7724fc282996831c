import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import { usableInterfaces } from '../../wire/card/choose-interface.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { hasClientDialect, bundledDialect } from '../../wire/client-dialect.ts';
import { parseVersion, PROTOCOL_VERSIONS, type ProtocolVersion } from '../../wire/version.ts';
import { wellKnownLocations } from '../card/card-locations.ts';
import type { Binding } from './binding.ts';
import { restBinding } from './rest-binding.ts';
import { rpcBinding } from './rpc-binding.ts';
import { type BindingName, BINDINGS, type ConnectOptions } from '../options.ts';

/** The interface of an agent that a client uses. */
export interface Chosen {
  /** The URL that requests are sent to. */
  readonly url: string;
  /** The protocol binding, such as `JSONRPC`. */
  readonly binding: BindingName;
  /** The protocol version, such as `1.0`. */
  readonly version: ProtocolVersion;
  /** The tenant of the interface, if the card names one. It is sent with every request. */
  readonly tenant: string | undefined;
  /** Why the client chose this interface, as a sentence for people. */
  readonly why: string;
}

/** An interface of an agent that this client can use. */
export interface EndpointCandidate extends Chosen {
  readonly restStyle: ConnectOptions['restStyle'];
  /** The codec of the protocol version. Undefined until it is loaded. */
  readonly dialect: Dialect | undefined;
}

/** An interface of an agent with its dialect loaded. */
export interface Endpoint extends EndpointCandidate {
  readonly dialect: Dialect;
}

const BINDING_BY_NAME: Readonly<Record<BindingName, Binding>> = { JSONRPC: rpcBinding, 'HTTP+JSON': restBinding };

export function bindingOf({ binding }: Endpoint): Binding {
  return BINDING_BY_NAME[binding];
}

/**
 * Returns the interfaces of a card that this client can use, in the card's order, each with an absolute URL. `base` is the agent's
 * own address, if its card was found there.
 *
 * @throws A2AError `VERSION_NOT_SUPPORTED` if the requested version is not offered, else `DISCOVERY_FAILED`.
 */
export function endpointCandidates(
  card: AgentCard,
  options: Pick<ConnectOptions, 'version' | 'binding' | 'url' | 'restStyle'>,
  base: string | undefined,
): readonly [EndpointCandidate, ...EndpointCandidate[]] {
  const bindings = options.binding === undefined ? BINDINGS : [options.binding];
  const versions = options.version === undefined ? PROTOCOL_VERSIONS : [options.version];
  const [first, ...others] = usableInterfaces(card, { bindings, versions }).flatMap(
    (usable): readonly EndpointCandidate[] => {
      const binding = usable.interface.protocolBinding as BindingName;
      const { version } = usable;
      const url = options.url ?? addressOf(usable.interface.url, base, binding);
      if (url === undefined || !hasClientDialect({ binding, version })) return [];
      const why = options.url === undefined ? usable.reason : `${usable.reason}; the option url sets its address`;
      const { restStyle } = options;
      const dialect = bundledDialect({ version });
      return [{ url, binding, version, restStyle, dialect, tenant: usable.interface.tenant, why }];
    },
  );
  if (first === undefined) throw nothingUsable(card, options);
  return [first, ...others];
}

/** The same interface with another protocol version. */
export function dialectNamed(candidate: EndpointCandidate, version: ProtocolVersion): EndpointCandidate {
  return {
    ...candidate,
    version,
    dialect: bundledDialect({ version }),
    why: `the card specifies no version and may be for A2A ${version}`,
  };
}

/** Resolves the URL of an interface. A card may omit it or contain only a path. */
function addressOf(stated: string, base: string | undefined, binding: string): string | undefined {
  if (URL.canParse(stated)) return stated;
  if (base === undefined) return undefined;
  return stated === '' ? wellKnownLocations(base, binding)[0] : new URL(stated, `${base}/`).href;
}

function nothingUsable(card: AgentCard, { version, binding }: Pick<ConnectOptions, 'version' | 'binding'>): A2AError {
  const offered = card.supportedInterfaces.map((entry) => `${entry.protocolBinding} ${entry.protocolVersion}`);
  const list = offered.length === 0 ? 'nothing' : offered.join(', ');
  if (
    version !== undefined &&
    !card.supportedInterfaces.some((entry) => parseVersion(entry.protocolVersion) === version)
  ) {
    const supported = [...new Set(card.supportedInterfaces.map((entry) => entry.protocolVersion))].sort();
    return new A2AError('VERSION_NOT_SUPPORTED', `The agent does not offer A2A ${version}; it offers ${list}`, {
      details: { requestedVersion: version, supportedVersions: supported.join(',') },
    });
  }
  const wanted = binding === undefined ? BINDINGS.join(' or ') : `the binding ${binding}`;
  return new A2AError(
    'DISCOVERY_FAILED',
    `The agent has no interface that this client can use; it offers ${list}, expected ${wanted}`,
  );
}
