import type { AgentCard, AgentInterface } from '../../model/card.ts';
import { parseVersion, type ProtocolVersion } from '../version.ts';

/** Bindings and versions that a client can use. */
export interface InterfaceSupport {
  /** Bindings the client has a transport for. */
  readonly bindings: readonly string[];
  readonly versions: readonly ProtocolVersion[];
}

export interface ChosenInterface {
  readonly interface: AgentInterface;
  readonly version: ProtocolVersion;
  /** Human-readable: the chosen interface and the skipped ones. */
  readonly reason: string;
}

/**
 * Returns the usable interfaces of a card in the order of the card. The first is the one to use (1.0 §8.3.2), the others
 * are for one retry if the first reports that it does not support the version (1.0 §3.6.3).
 */
export function usableInterfaces(card: AgentCard, support: InterfaceSupport): readonly ChosenInterface[] {
  const skipped: string[] = [];
  const usable: ChosenInterface[] = [];
  for (const entry of card.supportedInterfaces) {
    const version = parseVersion(entry.protocolVersion);
    const label = `${entry.protocolBinding} ${entry.protocolVersion}`;
    if (version === undefined || !support.versions.includes(version)) skipped.push(`${label} (version)`);
    else if (!support.bindings.includes(entry.protocolBinding)) skipped.push(`${label} (binding)`);
    else usable.push({ interface: entry, version, reason: reasonFor(label, usable.length, skipped) });
  }
  return usable;
}

function reasonFor(label: string, before: number, skipped: readonly string[]): string {
  const taken = `${label} is the ${before === 0 ? 'first' : 'next'} of the card's interfaces that this client supports`;
  return skipped.length === 0 ? taken : `${taken}; skipped: ${skipped.join(', ')}`;
}
