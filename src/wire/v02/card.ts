import type { AgentCard } from '../../model/card.ts';
import type { Codec } from '../codec.ts';
import { createCardCodec } from '../v03/card.ts';

/** The cards of 0.2.6. Earlier ones have less, and no version; they are read alike. */
export const card: Codec<AgentCard> = createCardCodec({
  version: '0.2',
  protocolVersion: '0.2.6',
  saysVersion: false,
  mutualTls: false,
  oauth2MetadataUrl: false,
  skillSecurity: false,
});
