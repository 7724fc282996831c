/**
 * The wire formats of every version and binding, written by hand without the code under test. A format encodes the requests of a
 * test and decodes the responses to objects that are the same for all formats.
 */
import { rest03, rest03Kind, rest1 } from './wire-formats/rest.ts';
import { rpc01, rpc02, rpc03, rpc1 } from './wire-formats/rpc.ts';
import type { WireFormat } from './wire-formats/wire-format.ts';

export type { WireFormat } from './wire-formats/wire-format.ts';

export const RPC_1 = rpc1;
export const REST_1 = rest1;
export const RPC_03 = rpc03;
export const REST_03 = rest03;
export const REST_03_KIND = rest03Kind;
export const RPC_02 = rpc02;
export const RPC_01 = rpc01;

/** The formats of 1.0. */
export const FORMATS_1: readonly WireFormat[] = [RPC_1, REST_1];

export const WIRE_FORMATS: readonly WireFormat[] = [RPC_1, REST_1, RPC_03, REST_03, RPC_02, RPC_01];

/** The formats in which messages have ids and the agent chooses the ids of tasks. */
export const FORMATS_SINCE_02: readonly WireFormat[] = WIRE_FORMATS.filter((format) => format !== RPC_01);
