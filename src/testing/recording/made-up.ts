/** UUIDs, long hexadecimal numbers, ULIDs, and times in milliseconds; with or without a word before them. */
const FORMS: readonly RegExp[] = [
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i,
  /(?:^|[^a-z\d])(?=[a-f]*\d)[\da-f]{16,}(?:$|[^a-z\d])/i,
  /(?:^|[^a-z\d])(?=[A-Z]*\d)[\dA-HJKMNP-TV-Z]{26}$/i,
  /\d{12,}/,
];

/** How often small letters, capitals, digits and the rest take turns in what a generator makes of all of them. */
const TURNS = 8;

/** Whether a program has made up an id, and will make up another one next time. People choose other names. */
export function looksMadeUp(id: string): boolean {
  if (id.length < 12 || /\s/.test(id)) return false;
  return FORMS.some((form) => form.test(id)) || (id.length >= 16 && turnsIn(id) >= TURNS);
}

function turnsIn(id: string): number {
  const runs = id.match(/[a-z]+|[A-Z]+|\d+|[^a-zA-Z\d]+/g) ?? [];
  return runs.length - 1;
}
