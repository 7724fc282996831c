/**
 * Every way to speak to an agent, written by hand: none of it comes from the code under test. A voice says what a test
 * wants in the words of one version over one binding, and tells in plain words what the agent answered.
 */
import { rest03, rest03Kind, rest1 } from './voices/rest.ts';
import { rpc01, rpc02, rpc03, rpc1 } from './voices/rpc.ts';
import type { Voice } from './voices/voice.ts';

export type { Voice } from './voices/voice.ts';

export const RPC_1 = rpc1;
export const REST_1 = rest1;
export const RPC_03 = rpc03;
export const REST_03 = rest03;
export const REST_03_KIND = rest03Kind;
export const RPC_02 = rpc02;
export const RPC_01 = rpc01;

/** The voices of 1.0, whose rules they are. */
export const NEWEST: readonly Voice[] = [RPC_1, REST_1];

export const VOICES: readonly Voice[] = [RPC_1, REST_1, RPC_03, REST_03, RPC_02, RPC_01];

/** The voices in which messages have ids and tasks are named by the agent. */
export const SINCE_02: readonly Voice[] = VOICES.filter((voice) => voice !== RPC_01);
