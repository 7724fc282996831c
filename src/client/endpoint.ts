import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import { usableInterfaces } from '../wire/choose-interface.ts';
import { type Dialect, PROTOCOL_VERSIONS, type ProtocolVersion } from '../wire/dialect.ts';
import { spokenDialect } from '../wire/select.ts';
import { type BindingName, BINDINGS, type ConnectOptions } from './options.ts';

/** One way to reach an agent, ready to be used. */
export interface Endpoint {
  readonly url: string;
  readonly binding: BindingName;
  readonly version: ProtocolVersion;
  readonly dialect: Dialect;
  readonly tenant: string | undefined;
  /** A sentence for people: what was taken, and why. */
  readonly why: string;
}

/** Which interface of an agent is used. */
export type Chosen = Omit<Endpoint, 'dialect'>;

/**
 * The interfaces of a card that this client can use, best first, each with its address made whole. `base` is where the card
 * was found.
 *
 * @throws A2AError `VERSION_NOT_SUPPORTED` if the version that was asked for is not offered, else `DISCOVERY_FAILED`.
 */
export function endpointsOf(
  card: AgentCard,
  options: ConnectOptions,
  base: URL | undefined,
): readonly [Endpoint, ...Endpoint[]] {
  const { version, binding } = options;
  const bindings = binding === undefined ? BINDINGS : [binding];
  const versions = version === undefined ? PROTOCOL_VERSIONS : [version];
  const endpoints = usableInterfaces(card, { bindings, versions }).flatMap(
    ({ interface: entry, version: spoken, reason }) => {
      const spokenBinding = entry.protocolBinding as BindingName;
      const dialect = spokenDialect(spokenBinding, spoken);
      const url = options.url ?? addressOf(entry.url, base);
      if (dialect === undefined || url === undefined) return [];
      const why = options.url === undefined ? reason : `${reason}; its address was given`;
      return [{ url, binding: spokenBinding, version: spoken, dialect, tenant: entry.tenant, why }];
    },
  );
  const [first, ...others] = endpoints;
  if (first !== undefined) return [first, ...others];
  throw nothingUsable(card, version);
}

/** A card may leave its address away, or say only a path. */
function addressOf(stated: string, base: URL | undefined): string | undefined {
  const absolute = URL.canParse(stated) ? stated : base === undefined ? undefined : new URL(stated, base).href;
  return absolute;
}

function nothingUsable(card: AgentCard, version: ProtocolVersion | undefined): A2AError {
  const offered = card.supportedInterfaces.map((entry) => `${entry.protocolBinding} ${entry.protocolVersion}`);
  const list = offered.length === 0 ? 'nothing' : offered.join(', ');
  if (version !== undefined && !card.supportedInterfaces.some((entry) => entry.protocolVersion.startsWith(version))) {
    return new A2AError('VERSION_NOT_SUPPORTED', `The agent does not offer A2A ${version}; it offers ${list}`, {
      details: { requestedVersion: version, supportedVersions: versionsOf(card) },
    });
  }
  return new A2AError('DISCOVERY_FAILED', `None of the agent's interfaces can be used; it offers ${list}`);
}

function versionsOf(card: AgentCard): string {
  return [...new Set(card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion))].sort().join(',');
}
