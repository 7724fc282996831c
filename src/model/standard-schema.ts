/**
 * A schema of a validation library, by the Standard Schema interface: zod (4 and later), valibot, arktype and others.
 * See https://standardschema.dev.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The members that all libraries share. */
  readonly '~standard': {
    /** The version of the interface. */
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Validates a value, and returns it with its output type or the issues. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** The types of the schema; never set at run time. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Returns the schema in JSON Schema, if the library can. */
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> }
      | undefined;
  };
}

/** The result of a validation: the value, or the reasons why it does not match. */
export type StandardResult<Output> =
  | {
      /** The value, as the schema transforms it. */
      readonly value: Output;
      /** Not set: the value matches. */
      readonly issues?: undefined;
    }
  | {
      /** The reasons, at least one. */
      readonly issues: readonly StandardIssue[];
    };

/** A reason why a value does not match a schema. */
export interface StandardIssue {
  /** Describes the problem. */
  readonly message: string;
  /** Where the problem is: names of members, indexes, or objects with such a `key`. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The output type of a schema. */
export type StandardOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

/** Whether a value is a schema of a validation library. Some libraries make schemas that are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value))
    return false;
  const standard = value['~standard'];
  return typeof standard === 'object' && standard !== null && 'validate' in standard;
}

/** Describes the issues in one text: `street: expected string; zip: too short`. */
export function issuesText(issues: readonly StandardIssue[]): string {
  return issues
    .map(({ message, path = [] }) => {
      const at = path.map((one) => String(typeof one === 'object' ? one.key : one)).join('.');
      return at === '' ? message : `${at}: ${message}`;
    })
    .join('; ');
}
