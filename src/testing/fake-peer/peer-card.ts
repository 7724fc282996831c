import type { AgentCard } from '../../model/card.ts';
import type { ProtocolVersion } from '../../wire/version.ts';

export interface PeerCardFacts {
  readonly url: string;
  readonly version: ProtocolVersion;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly streaming: boolean;
  readonly pushNotifications: boolean;
  readonly extendedAgentCard: boolean;
}

export function peerCard({ url, version, binding, ...capabilities }: PeerCardFacts): AgentCard {
  return {
    name: 'Fake peer',
    description: 'Answers from a script.',
    version: '1.0.0',
    supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: version }],
    capabilities,
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'answer', name: 'Answer', description: 'Answers from a script.', tags: ['test'] }],
  };
}

/** Before 0.3 the card had another path. */
export function cardPath(version: ProtocolVersion): string {
  return version === '0.1' || version === '0.2' ? '/.well-known/agent.json' : '/.well-known/agent-card.json';
}
