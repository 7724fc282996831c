/** UUIDs, long hexadecimal numbers, ULIDs and times in milliseconds, with or without a prefix. */
const FORMS: readonly RegExp[] = [
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i,
  /(?:^|[^a-z\d])(?=[a-f]*\d)[\da-f]{16,}(?:$|[^a-z\d])/i,
  /(?:^|[^a-z\d])(?=[A-Z]*\d)[\dA-HJKMNP-TV-Z]{26}$/i,
  /\d{12,}/,
];

/** How often lower case, upper case, digits and other characters alternate at least in a random id. */
const TURNS = 8;

/** Whether an id looks generated, so that it differs from run to run, rather than chosen by a person. */
export function looksMadeUp(id: string): boolean {
  if (id.length < 12 || /\s/.test(id)) return false;
  return FORMS.some((form) => form.test(id)) || (id.length >= 16 && turnsIn(id) >= TURNS);
}

function turnsIn(id: string): number {
  const runs = id.match(/[a-z]+|[A-Z]+|\d+|[^a-zA-Z\d]+/g) ?? [];
  return runs.length - 1;
}
