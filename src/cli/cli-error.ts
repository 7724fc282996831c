/** How the program ends, by the common rules of A2A command lines. A task that has failed is an answer, and so 0. */
const EXIT_CODES = { failure: 1, usage: 2, unreachable: 3, auth: 4, timeout: 5 } as const;

/** What programs know an error of ours by. The names are those of the common rules, which do not let us add any. */
const CODES = {
  failure: 'A2ACLI_ERR_INTERNAL',
  usage: 'A2ACLI_ERR_USAGE',
  unreachable: 'A2ACLI_ERR_UNREACHABLE',
  auth: 'A2ACLI_ERR_AUTH_FAILED',
  timeout: 'A2ACLI_ERR_TIMEOUT',
} as const;

type Kind = keyof typeof EXIT_CODES;

export interface CliErrorOptions extends ErrorOptions {
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** More exact than what its kind says. */
  readonly code?: string;
  /** The number of the error on the wire. */
  readonly a2aCode?: number;
}

/** Something that the user can mend, or at least understand: told in a sentence, without a stack. */
export class CliError extends Error {
  readonly kind: Kind;
  readonly exitCode: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly a2aCode: number | undefined;

  constructor(kind: Kind, message: string, options: CliErrorOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.exitCode = EXIT_CODES[kind];
    this.code = options.code ?? CODES[kind];
    this.hint = options.hint;
    this.a2aCode = options.a2aCode;
  }
}
