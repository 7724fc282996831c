/** An option of a command: a flag, or with a placeholder an option that takes a value. */
export interface Option {
  readonly short?: string;
  /** Can be repeated; in the environment, values are separated by commas. */
  readonly multiple?: true;
  /** The placeholder of its value in help texts: `<seconds>`. */
  readonly value?: string;
  readonly help: string;
  /** Ignores the environment and settings files, because the option changes the output format or concerns one call only. */
  readonly flagOnly?: true;
  /** Its value is never printed. */
  readonly secret?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** The values of the options of a command. */
export type Values<T extends Options> = {
  readonly [K in keyof T]: T[K] extends { readonly multiple: true }
    ? readonly string[]
    : T[K] extends { readonly value: string }
      ? string | undefined
      : boolean;
};

/** One argument of a command line, for options whose order matters. */
export type Token =
  | { readonly kind: 'option'; readonly name: string; readonly value: string | undefined }
  | { readonly kind: 'positional'; readonly value: string };

/** The arguments after the name of a command. */
export interface Arguments<T extends Options = Options> {
  readonly values: Values<T>;
  readonly positionals: readonly string[];
  readonly tokens: readonly Token[];
  /** The source of each value: `flag`, a variable or a file. */
  readonly sources: Readonly<Record<string, string>>;
}

export interface Command<T extends Options = Options> {
  /** Its usage: `send [agent] <text>`. */
  readonly synopsis: string;
  readonly about: string;
  readonly examples?: readonly string[];
  readonly options: T;
  /** Other names of options: `{ detach: 'async' }`. Help texts do not list them. */
  readonly aliases?: Readonly<Record<string, string>>;
  run(given: Arguments<T>): Promise<void>;
}

/** Returns the command unchanged. Infers the types of its options. */
export function defineCommand<const T extends Options>(command: Command<T>): Command<T> {
  return command;
}

/** The options of every command. */
export const EVERYWHERE: Options = {
  debug: { help: 'Print requests and the stack of errors, without credentials' },
  help: { short: 'h', help: 'Print this help', flagOnly: true },
};

/** Returns the environment variable of an option: `A2ACLI_AGENT_CARD` for `--agent-card`. */
export function variableOf(option: string): string {
  return `A2ACLI_${option.toUpperCase().replaceAll('-', '_')}`;
}
