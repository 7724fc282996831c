/** How the program ends, by the common rules of A2A command lines. A task that has failed is an answer, and so 0. */
const EXIT_CODES = { failure: 1, usage: 2, unreachable: 3, auth: 4, timeout: 5 } as const;

/** Something that the user can mend, or at least understand: told in a sentence, without a stack. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(kind: keyof typeof EXIT_CODES, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = EXIT_CODES[kind];
  }
}
