import type { Dialect } from '../../dialect.ts';
import { errors } from '../error.ts';
import { endsStream, webhook } from '../style.ts';
import { card } from './card.ts';
import { createStreamEncoder } from './event.ts';
import { operations } from './methods.ts';
import { taskState } from './task.ts';

/** A2A 0.3 in the JSON of its protocol definition: REST as in both reference SDKs, and the messages of gRPC. */
export const v03Proto: Dialect = {
  name: 'v03-proto',
  version: '0.3',
  operations,
  encodeState: (state) => taskState.encode(state) as string,
  methodAliases: {},
  createStreamEncoder,
  endsStream,
  card,
  webhook,
  pushesWholeTasks: true,
  errors,
  mediaType: 'application/json',
  clientNamesTasks: false,
  subscribesToTheEnd: false,
  hasDefaultPushConfig: true,
};
