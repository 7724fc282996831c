import { get } from './get.ts';
import type { HttpBench } from './harness/http-bench.ts';
import { send } from './send.ts';
import { stream } from './stream.ts';

export const httpBenches: readonly HttpBench[] = [send, get, stream];
