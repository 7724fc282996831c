import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import { usableInterfaces } from '../wire/choose-interface.ts';
import { type Dialect, PROTOCOL_VERSIONS, type ProtocolVersion } from '../wire/dialect.ts';
import { isSpoken, spokenAtOnce } from '../wire/spoken.ts';
import { parseVersion } from '../wire/version.ts';
import { usualPlaces } from './card-places.ts';
import { type BindingName, BINDINGS, type ConnectOptions } from './options.ts';

/** Which interface of an agent is used. */
export interface Chosen {
  readonly url: string;
  readonly binding: BindingName;
  readonly version: ProtocolVersion;
  readonly tenant: string | undefined;
  /** A sentence for people: what was taken, and why. */
  readonly why: string;
}

/** One way to reach an agent. */
export interface Way extends Chosen {
  readonly restStyle: ConnectOptions['restStyle'];
  /** How it is spoken to, if that is loaded. */
  readonly dialect: Dialect | undefined;
}

/** One way to reach an agent, ready to be used. */
export interface Endpoint extends Way {
  readonly dialect: Dialect;
}

/**
 * The interfaces of a card that this client can use, in the card's order, each with a whole address. `base` is the agent's
 * own address, if its card was found there.
 *
 * @throws A2AError `VERSION_NOT_SUPPORTED` if the version that was asked for is not offered, else `DISCOVERY_FAILED`.
 */
export function waysTo(
  card: AgentCard,
  options: Pick<ConnectOptions, 'version' | 'binding' | 'url' | 'restStyle'>,
  base: string | undefined,
): readonly [Way, ...Way[]] {
  const bindings = options.binding === undefined ? BINDINGS : [options.binding];
  const versions = options.version === undefined ? PROTOCOL_VERSIONS : [options.version];
  const [first, ...others] = usableInterfaces(card, { bindings, versions }).flatMap((usable): readonly Way[] => {
    const binding = usable.interface.protocolBinding as BindingName;
    const { version } = usable;
    const url = options.url ?? addressOf(usable.interface.url, base, binding);
    if (url === undefined || !isSpoken({ binding, version })) return [];
    const why = options.url === undefined ? usable.reason : `${usable.reason}; its address was given`;
    const { restStyle } = options;
    const dialect = spokenAtOnce({ version });
    return [{ url, binding, version, restStyle, dialect, tenant: usable.interface.tenant, why }];
  });
  if (first === undefined) throw nothingUsable(card, options);
  return [first, ...others];
}

/** The same agent in the words of another version. */
export function spokenAs(way: Way, version: ProtocolVersion): Way {
  return {
    ...way,
    version,
    dialect: spokenAtOnce({ version }),
    why: `the card states no version, and A2A ${version} is what may be meant`,
  };
}

/** A card may leave its address away, or say only a path. */
function addressOf(stated: string, base: string | undefined, binding: string): string | undefined {
  if (URL.canParse(stated)) return stated;
  if (base === undefined) return undefined;
  return stated === '' ? usualPlaces(base, binding)[0] : new URL(stated, `${base}/`).href;
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
  const wanted = binding === undefined ? '' : ` by ${binding}`;
  return new A2AError('DISCOVERY_FAILED', `None of the agent's interfaces can be used${wanted}; it offers ${list}`);
}
