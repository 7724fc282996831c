import { get } from './get.ts';
import { guardedSend } from './guarded-send.ts';
import type { HttpBench } from './harness/http-bench.ts';
import { pages } from './pages.ts';
import { postgresSend } from './postgres-send.ts';
import { send } from './send.ts';
import { stream } from './stream.ts';
import { streams } from './streams.ts';

/** The benches whose servers need no preparation. */
export const plainHttpBenches: readonly HttpBench[] = [send, get, stream, streams];

/** All benches that the load generator can run. */
export const httpBenches: readonly HttpBench[] = [...plainHttpBenches, pages, guardedSend, postgresSend];
