import type { Dialect } from '../dialect.ts';
import { endsStream } from '../v03/event.ts';
import { taskState } from '../v03/task.ts';
import { card } from './card.ts';
import { errors } from './error.ts';
import { createStreamEncoder, webhook } from './event.ts';
import { operations } from './methods.ts';

/** A2A 0.1: every request concerns a task, whose id the caller chooses. */
export const v01: Dialect = {
  name: 'v01',
  version: '0.1',
  operations,
  // The two states that 0.1 lacks are encoded as in 0.2, which is also how the metadata carries them.
  encodeState: (state) => taskState.encode(state) as string,
  methodAliases: {},
  createStreamEncoder,
  endsStream,
  card,
  webhook,
  pushesWholeTasks: true,
  errors,
  mediaType: 'application/json',
  clientNamesTasks: true,
  subscribesToTheEnd: false,
  earlyStreamError: 'status',
  hasDefaultPushConfig: true,
};
