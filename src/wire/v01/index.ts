import type { Dialect } from '../dialect.ts';
import { endsStream } from '../v03/event.ts';
import { taskState } from '../v03/task.ts';
import { card } from './card.ts';
import { errors } from './error.ts';
import { createStreamEncoder, webhook } from './event.ts';
import { operations } from './methods.ts';

/** A2A 0.1: everything is a task that its caller names, and a message is only what is said in one. */
export const v01: Dialect = {
  name: 'v01',
  version: '0.1',
  operations,
  // With the words of 0.2 for the two states that 0.1 lacks, as the mark of the true state has them.
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
