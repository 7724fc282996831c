/** Questions whose answers a validation library checks. */
import { issuesText, type StandardSchema } from '../../model/standard-schema.ts';
import { isRecord } from '../../support/json/to-json.ts';
import { type AnswerSchema, assertAnswerSchema, isAnswerKeyword } from '../../model/answer-schema.ts';

/**
 * Asks until the answer matches. The server checks the part of the schema that every node knows, before it accepts an answer. The library
 * runs only here, so an answer that it rejects is followed by the same question, with the reason.
 *
 * @param ask Asks once, with the schema that callers see.
 */
export async function askUntilValid(
  question: string,
  schema: StandardSchema,
  ask: (question: string, schema: AnswerSchema) => Promise<unknown>,
): Promise<unknown> {
  const shown = toAnswerSchema(schema);
  let text = question;
  for (;;) {
    const result = await schema['~standard'].validate(await ask(text, shown));
    if (result.issues === undefined) return result.value;
    text = `${question}\nThe last answer did not match: ${issuesText(result.issues)}`;
  }
}

/** The part of a schema that callers see and the server checks. Empty if the library cannot give it in JSON Schema. */
export function toAnswerSchema(schema: StandardSchema): AnswerSchema {
  let json: Record<string, unknown> | undefined;
  try {
    json = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  } catch {
    // Not every type has a form in JSON Schema. The library checks the answer in any case.
  }
  const subset = json === undefined ? {} : supported(json);
  try {
    assertAnswerSchema(subset);
    return subset;
  } catch {
    return {};
  }
}

/** Without the keywords that an `AnswerSchema` does not have. The rest accepts every answer that the whole schema accepts. */
function supported(schema: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (!isAnswerKeyword(keyword)) return [];
    if (keyword === 'type' && typeof value !== 'string') return [];
    if (keyword === 'additionalProperties' && typeof value !== 'boolean') return [];
    if ((keyword === 'minimum' || keyword === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER)
      return [];
    if (keyword === 'items') return isRecord(value) ? [[keyword, supported(value)]] : [];
    if (keyword === 'properties') {
      const members = Object.entries(value as Record<string, unknown>).map(([name, one]) => [
        name,
        isRecord(one) ? supported(one) : {},
      ]);
      return [[keyword, Object.fromEntries(members)]];
    }
    return [[keyword, value]];
  });
  return Object.fromEntries(entries);
}
