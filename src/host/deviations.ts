import type { OperationName } from '../model/operation.ts';
import type { Log } from '../observe/log.ts';
import type { Warning } from '../wire/decoder.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { Binding } from '../wire/offer.ts';

/**
 * Logs requests that deviate from the protocol and are accepted nevertheless. Each kind of deviation is logged once per
 * process, so that the operator learns about it and callers cannot fill the log.
 */
export class Deviations {
  readonly #log: Log;
  /** Bounded: codes are constants of the decoders. */
  readonly #logged = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  log(
    { binding, dialect }: { readonly binding: Binding; readonly dialect: Dialect },
    operation: OperationName,
    warnings: readonly Warning[],
  ): void {
    for (const { code, field, description } of warnings) {
      if (this.#logged.has(code)) continue;
      this.#logged.add(code);
      const { version } = dialect;
      this.#log.warn('Accepted a request that deviates from the protocol', {
        deviation: code,
        field,
        description,
        operation,
        binding,
        version,
      });
    }
  }
}
