import type { Message } from '../model/message.ts';
import type { Codec } from './codec.ts';

/**
 * A message that a caller sends. Only users speak to agents; some peers mark their messages as an agent's because they
 * are agents themselves, which is read as the user's (the protocol gives no rule).
 */
export function fromUser(message: Codec<Message>): Codec<Message> {
  return {
    decode(r, json) {
      const value = message.decode(r, json);
      if (value.role === 'ROLE_USER' || value.role === undefined) return value;
      r.tolerate('role-not-user', 'the role of the user', 'role');
      return { ...value, role: 'ROLE_USER' };
    },
    encode: message.encode,
  };
}
