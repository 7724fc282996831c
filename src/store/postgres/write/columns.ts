/** The SQL type of each column. */
export type Columns = Readonly<Record<string, string>>;

/** `unnest($1::text[], $2::integer[])` */
export function unnested(columns: Columns): string {
  return `unnest(${Object.values(columns)
    .map((type, index) => `$${index + 1}::${type}[]`)
    .join(', ')})`;
}

/** Transposes rows into one array per column. */
export function columnsOf(rows: readonly (readonly unknown[])[], columns: Columns): readonly unknown[] {
  return Object.values(columns).map((type, index) => {
    const values = rows.map((row) => row[index]);
    return type === 'text' ? arrayText(values as readonly (string | null)[]) : values;
  });
}

/**
 * Encodes texts as a PostgreSQL array literal. The driver would take seconds for a text of several megabytes with many quotes, and
 * would drop a statement that it cannot encode from a transaction that is already being sent.
 */
function arrayText(texts: readonly (string | null)[]): string {
  return `{${texts.map((text) => (text === null ? 'NULL' : quotedText(text))).join(',')}}`;
}

/** The characters that JSON escapes in its own way: control characters and surrogates. */
const OF_JSON = /[\p{Cc}\p{Cs}]/u;

/** JSON escapes quotes and backslashes like PostgreSQL, and is many times faster than replacing each of them. */
function quotedText(text: string): string {
  return !OF_JSON.test(text) ? JSON.stringify(text) : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
