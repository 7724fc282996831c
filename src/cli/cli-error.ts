/** Exit codes, defined by the A2A CLI conventions. A task that failed is a valid reply, so the exit code is 0. */
const EXIT_CODES = { failure: 1, usage: 2, unreachable: 3, auth: 4, timeout: 5 } as const;

/** The default error code of each kind of failure, as the A2A CLI conventions define them. */
const CODES = {
  failure: 'A2ACLI_ERR_INTERNAL',
  usage: 'A2ACLI_ERR_USAGE',
  unreachable: 'A2ACLI_ERR_UNREACHABLE',
  auth: 'A2ACLI_ERR_AUTH_FAILED',
  timeout: 'A2ACLI_ERR_TIMEOUT',
} as const;

type Kind = keyof typeof EXIT_CODES;

export interface CliErrorOptions extends ErrorOptions {
  /** Advice for the user. */
  readonly hint?: string | undefined;
  /** A more specific code than that of the kind. */
  readonly code?: string;
  /** The JSON-RPC code of the error. */
  readonly a2aCode?: number;
  /** The section of the error reference: `docs/errors.md#task_not_found`. */
  readonly docs?: string;
}

/** An error that the user can fix or at least understand. It is printed as one sentence, without a stack. */
export class CliError extends Error {
  readonly kind: Kind;
  readonly exitCode: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly a2aCode: number | undefined;
  readonly docs: string | undefined;

  constructor(kind: Kind, message: string, options: CliErrorOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.exitCode = EXIT_CODES[kind];
    this.code = options.code ?? CODES[kind];
    this.hint = options.hint;
    this.a2aCode = options.a2aCode;
    this.docs = options.docs;
  }
}
