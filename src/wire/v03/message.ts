import type { Artifact } from '../../model/artifact.ts';
import type { Message, Role } from '../../model/message.ts';
import { type Codec, defaulted, expected, object, optional, required } from '../codec.ts';
import { unknownInMessages } from '../unknown-members.ts';
import { id, idOrEmpty, list, string, strings, struct, stringEnum } from '../values.ts';
import { ofKind } from './kind.ts';
import { createPartCodec } from './part.ts';

export const part = createPartCodec('kind', '0.3');

/** Every role other than user is encoded as agent, because there are only two. */
export const role: Codec<Role> = stringEnum<Role>({ user: 'ROLE_USER', agent: 'ROLE_AGENT' }, 'ROLE_UNSPECIFIED');

export const message: Codec<Message> = ofKind(
  'message',
  object<Omit<Message, 'unknownMembers'>>(
    {
      messageId: expected(id, (d) => d.newId()),
      role: expected(role, () => 'ROLE_UNSPECIFIED'),
      parts: expected(list(part, 1), () => []),
      contextId: defaulted(idOrEmpty),
      taskId: defaulted(idOrEmpty),
      referenceTaskIds: defaulted(strings),
      extensions: defaulted(strings),
      metadata: optional(struct),
    },
    { tag: ['kind', 'message'], point: 'message', unknown: unknownInMessages('0.3') },
  ),
);

export const artifact: Codec<Artifact> = object<Artifact>({
  artifactId: required(id),
  name: defaulted(string),
  description: defaulted(string),
  parts: expected(list(part, 1), () => []),
  metadata: optional(struct),
  extensions: defaulted(strings),
});
