import { get } from './get.ts';
import { guardedSend } from './guarded-send.ts';
import type { HttpBench } from './harness/http-bench.ts';
import { pages } from './pages.ts';
import { postgresSend } from './postgres-send.ts';
import { send } from './send.ts';
import { stream } from './stream.ts';
import { streams } from './streams.ts';

/** Those whose servers have nothing to do before. */
export const plainHttpBenches: readonly HttpBench[] = [send, get, stream, streams];

/** All that the load generator knows. */
export const httpBenches: readonly HttpBench[] = [...plainHttpBenches, pages, guardedSend, postgresSend];
