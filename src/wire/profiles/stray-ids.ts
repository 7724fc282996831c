import { isObject, isSet } from '../codec.ts';
import { type Profile, rewriteSends } from './profile.ts';

/**
 * Ids beside the message instead of inside it, or no message id at all. The multi-turn example of the 0.2 specification
 * puts `messageId` into the params; two systems put `contextId` there; several send no message id.
 */
export const strayIds: Profile = {
  name: 'stray-ids',
  repairs: [
    {
      code: 'ids-beside-message',
      seam: 'sendParams',
      expected: 'messageId and contextId inside the message',
      instead: 'took them from beside it',
      apply({ messageId, contextId, message, ...params }) {
        if (!isObject(message)) return undefined;
        const strays = {
          ...(typeof messageId === 'string' && !isSet(message['messageId']) ? { messageId } : {}),
          ...(typeof contextId === 'string' && !isSet(message['contextId']) ? { contextId } : {}),
        };
        return Object.keys(strays).length === 0 ? undefined : { ...params, message: { ...message, ...strays } };
      },
    },
    {
      code: 'message-id-missing',
      seam: 'message',
      expected: 'the member messageId',
      instead: 'made one up',
      apply: (message, r) => (isSet(message['messageId']) ? undefined : { ...message, messageId: r.newId() }),
    },
  ],
  // In both places: those who look beside the message do not look inside.
  speak: (dialect) =>
    rewriteSends(dialect, (params) => {
      const { message } = params;
      const contextId = isObject(message) ? message['contextId'] : undefined;
      return contextId === undefined ? params : { ...params, contextId };
    }),
};
