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
    readonly types?: StandardTypes<Input, Output> | undefined;
    /** Returns the schema in JSON Schema, if the library can. */
    readonly jsonSchema?: StandardJsonSchema | undefined;
  };
}

/** The types of a schema. */
export interface StandardTypes<Input, Output> {
  /** The type of the values that the schema validates. */
  readonly input: Input;
  /** The type of the values that a validation returns. */
  readonly output: Output;
}

/** The form of a schema in JSON Schema. */
export interface StandardJsonSchema {
  /** Returns the schema of the values that are validated. */
  readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
  /** Returns the schema of the values that a validation returns. */
  readonly output?: ((options: JsonSchemaOptions) => Record<string, unknown>) | undefined;
}

/** Options for the form of a schema in JSON Schema. */
export interface JsonSchemaOptions {
  /** The version of JSON Schema. */
  readonly target: 'draft-2020-12';
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
  readonly path?: readonly (PropertyKey | StandardPathSegment)[] | undefined;
}

/** A segment of the path to a problem. */
export interface StandardPathSegment {
  /** The name of the member, or the index. */
  readonly key: PropertyKey;
}

/** The input type of a schema. */
export type StandardInput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input'];

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
