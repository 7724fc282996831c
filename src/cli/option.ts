/** An option of a command. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** May be given several times; in the environment, with commas between. */
  readonly multiple?: true;
  /** What stands for its value in help texts: `<seconds>`. */
  readonly value?: string;
  readonly help: string;
  /** Another spelling of the option of this name. */
  readonly aliasOf?: string;
  /** Neither from the environment nor from a file: it changes the shape of the output, or is about this call only. */
  readonly flagOnly?: true;
  /** Its value is never shown. */
  readonly secret?: true;
  /** Of everything that talks to an agent; listed after a command's own options. */
  readonly isCommon?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** What the options of a command are set to. */
export type Values<T extends Options> = {
  readonly [K in keyof T]: T[K] extends { readonly multiple: true }
    ? readonly string[]
    : T[K]['type'] extends 'boolean'
      ? boolean
      : string | undefined;
};

/** One word of a command line in its place, for options whose order matters. */
export type Token =
  | { readonly kind: 'option'; readonly name: string; readonly value: string | undefined }
  | { readonly kind: 'positional'; readonly value: string };

/** What stands after the name of a command. */
export interface Arguments<T extends Options = Options> {
  readonly values: Values<T>;
  readonly positionals: readonly string[];
  readonly tokens: readonly Token[];
  /** Where a value comes from: `flag`, a variable or a file. */
  readonly sources: Readonly<Record<string, string>>;
}

export interface Command<T extends Options = Options> {
  /** How it is called: `send [agent] <text>`. */
  readonly synopsis: string;
  readonly about: string;
  readonly examples?: readonly string[];
  readonly options: T;
  run(given: Arguments<T>): Promise<void>;
}

/** Lets the type of the options be inferred. */
export function defineCommand<const T extends Options>(command: Command<T>): Command<T> {
  return command;
}

/** Of every command. */
export const EVERYWHERE: Options = {
  debug: { type: 'boolean', help: 'Show what is sent and how errors came about, without credentials' },
  help: { type: 'boolean', short: 'h', help: 'Print this help', flagOnly: true },
};

/** The name of an option's variable: `--agent-card` is `A2ACLI_AGENT_CARD`. */
export function variableOf(option: string): string {
  return `A2ACLI_${option.toUpperCase().replaceAll('-', '_')}`;
}
