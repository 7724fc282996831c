import type { Audit } from '../observe/audit.ts';
import type { OpenTelemetry } from '../observe/opentelemetry.ts';
import { type Check, isObject, kindOf } from './check.ts';

/** Who watches a handler. Nobody, if nothing is set. */
export interface ObserveSettings {
  readonly tracing: OpenTelemetry | false | undefined;
  readonly metrics: boolean;
  readonly audit: Audit | undefined;
}

export function readObserve(check: Check, given: Readonly<Record<string, unknown>>): ObserveSettings {
  const { tracing, metrics = false, audit } = given;
  if (tracing !== undefined && tracing !== false && !isOpenTelemetry(tracing)) {
    check.fault('tracing', "must be what import * as api from '@opentelemetry/api' gives, or false");
  }
  if (typeof metrics !== 'boolean') check.fault('metrics', `must be true or false, not ${kindOf(metrics)}`);
  if (audit !== undefined && typeof audit !== 'function') {
    check.fault('audit', `must be a function that takes a record, not ${kindOf(audit)}`);
  }
  return {
    tracing: tracing as OpenTelemetry | false | undefined,
    metrics: metrics === true,
    audit: audit as Audit | undefined,
  };
}

/** A namespace of a module is no plain object, so it is known by what it has. */
function isOpenTelemetry(value: unknown): boolean {
  if (!isObject(value) || !isObject(value['context']) || !isObject(value['trace'])) return false;
  return typeof value['context']['with'] === 'function' && typeof value['trace']['getTracer'] === 'function';
}
