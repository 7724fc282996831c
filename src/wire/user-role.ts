import type { Message } from '../model/message.ts';
import type { Codec } from './codec.ts';

/**
 * A message in a request. Its role must be user, but some peers set the role of an agent because they are agents
 * themselves. The protocol has no rule for this, so it is decoded as user with a warning.
 */
export function fromUser(message: Codec<Message>): Codec<Message> {
  return {
    decode(d, json) {
      const value = message.decode(d, json);
      if (value.role === 'ROLE_USER' || value.role === undefined) return value;
      d.tolerate('role-not-user', 'the role of a user', 'role');
      return { ...value, role: 'ROLE_USER' };
    },
    encode: message.encode,
  };
}
