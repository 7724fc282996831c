import { humanise } from './names.ts';

/** The words in the name of a tool that put it into a category. */
const CATEGORIES: Readonly<Record<string, string>> = {
  messaging: 'message messages email emails mail gmail slack sms telegram whatsapp chat notify notification',
  memory: 'memory memories remember recall',
  search: 'search research crawl browse',
  web: 'web url browser webpage',
  files: 'file files folder directory document documents pdf',
  data: 'sql query database table csv spreadsheet',
  development: 'github gitlab git repo repository pr prs pull commit branch issue issues',
  scheduling: 'schedule schedules calendar cron reminder',
  billing: 'credit credits billing invoice invoices payment payments',
  agents: 'agent agents a2a',
};

const BY_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries(CATEGORIES).flatMap(([category, words]) => words.split(' ').map((word) => [word, category] as const)),
);

/**
 * The categories of a tool, by the words of its name: `github_search_issues` is `development` and `search`. Callers find skills by
 * their tags, and most tools have none of their own.
 */
export function categoriesOf(toolName: string): readonly string[] {
  const categories = new Set<string>();
  for (const word of humanise(toolName).toLowerCase().split(' ')) {
    const category = BY_WORD.get(word);
    if (category !== undefined) categories.add(category);
  }
  return [...categories];
}
