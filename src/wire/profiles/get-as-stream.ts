import { isSet } from '../codec.ts';
import type { Profile } from './profile.ts';

/**
 * `tasks/get` with `taskId` instead of `id`. Its author means "reopen the stream" by it: under this profile the answer to
 * a caller who accepts an event stream is one, from the current state on.
 */
export const getAsStream: Profile = {
  name: 'get-as-stream',
  repairs: [
    {
      code: 'task-id-misnamed',
      seam: 'taskParams',
      expected: 'the member id',
      instead: 'read taskId instead',
      apply: ({ taskId, ...params }) =>
        typeof taskId === 'string' && !isSet(params['id']) ? { ...params, id: taskId } : undefined,
    },
  ],
  answer: (dialect) => ({ ...dialect, getTaskMayStream: true }),
};
