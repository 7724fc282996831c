import { type A2AError, ERROR_DOMAIN, ERRORS, type ErrorCode, type FieldViolation } from '../errors.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { isObject } from './codec.ts';

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';
const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';

/** Encodes the details of an error as 1.0 does on every binding: a list of `google.rpc` objects (1.0 §3.3.2). */
export function encodeDetails(error: A2AError): readonly JsonObject[] {
  const info: JsonObject = { '@type': ERROR_INFO, reason: error.code, domain: ERROR_DOMAIN };
  const details = [hasMembers(error.details) ? { ...info, metadata: error.details } : info];
  if (error.violations.length > 0) {
    const fieldViolations = error.violations.map(({ field, description }) => ({ field, description }));
    details.push({ '@type': BAD_REQUEST, fieldViolations });
  }
  if (error.retryAfterMs !== undefined) {
    details.push({ '@type': RETRY_INFO, retryDelay: `${error.retryAfterMs / 1000}s` });
  }
  return details;
}

/** Decoded details of a peer's error. */
export interface ErrorFacts {
  readonly code?: ErrorCode;
  readonly details?: Record<string, string>;
  readonly violations?: readonly FieldViolation[];
  readonly retryAfterMs?: number;
}

/** Decodes details in any format: a list of `google.rpc` objects, or an object with arbitrary members. */
export function decodeDetails(data: unknown): ErrorFacts {
  if (Array.isArray(data)) {
    const facts: ErrorFacts = {};
    for (const detail of data) Object.assign(facts, decodeDetail(detail));
    return facts;
  }
  if (!isObject(data)) return {};
  const { reason, ...rest } = data;
  return {
    ...(isErrorCode(reason) ? { code: reason } : {}),
    ...factsOf('details', stringMembers(isErrorCode(reason) ? rest : data)),
    ...factsOf('violations', decodeViolations(data['fieldViolations'])),
  };
}

function decodeDetail(detail: unknown): ErrorFacts {
  if (!isObject(detail)) return {};
  switch (detail['@type']) {
    case ERROR_INFO: {
      const { reason, metadata } = detail;
      return {
        ...(isErrorCode(reason) ? { code: reason } : {}),
        ...factsOf('details', isObject(metadata) ? stringMembers(metadata) : {}),
      };
    }
    case BAD_REQUEST:
      return factsOf('violations', decodeViolations(detail['fieldViolations']));
    case RETRY_INFO: {
      const { retryDelay } = detail;
      const seconds = typeof retryDelay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(retryDelay)?.[1] : undefined;
      return seconds === undefined ? {} : { retryAfterMs: Math.round(Number(seconds) * 1000) };
    }
    default:
      return {};
  }
}

function decodeViolations(json: JsonValue | undefined): readonly FieldViolation[] {
  if (!Array.isArray(json)) return [];
  return json.filter(isObject).map((violation) => ({
    field: typeof violation['field'] === 'string' ? violation['field'] : '',
    description: typeof violation['description'] === 'string' ? violation['description'] : '',
  }));
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERRORS, value);
}

function stringMembers(json: JsonObject): Record<string, string> {
  const members = Object.entries(json).filter(([, value]) => typeof value !== 'object' && value !== undefined);
  return Object.fromEntries(
    members.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function factsOf<K extends 'details' | 'violations'>(key: K, value: NonNullable<ErrorFacts[K]>): Pick<ErrorFacts, K> {
  return (Object.keys(value).length === 0 ? {} : { [key]: value }) as Pick<ErrorFacts, K>;
}

function hasMembers(object: object): boolean {
  return Object.keys(object).length > 0;
}
