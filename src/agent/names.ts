const ACRONYMS: ReadonlySet<string> = new Set(
  'ai api cli css csv dns html http https id ip json llm mcp pdf sql ssh ui uri url xml yaml'.split(' '),
);

/** Turns an identifier into words: `get_user-byId` becomes `Get user by ID`, `HTTPServerStatus` becomes `HTTP server status`. */
export function humanise(name: string): string {
  const words = name
    .replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
  // In a name without lower case, capitals do not mark acronyms.
  const isLoud = !/\p{Ll}/u.test(name);
  const sentence = words
    .map((word) => {
      if (ACRONYMS.has(word.toLowerCase())) return word.toUpperCase();
      const isAcronym = !isLoud && word.length > 1 && !/\p{Ll}/u.test(word) && /\p{Lu}/u.test(word);
      return isAcronym ? word : word.toLowerCase();
    })
    .join(' ');
  const [first = ''] = sentence;
  return sentence === '' ? name : first.toUpperCase() + sentence.slice(first.length);
}

/**
 * The default id of an agent: `Übersetzer 2` becomes `ubersetzer-2`. Letters of all scripts are kept, so that different names have
 * different ids. Empty if the name has neither letters nor digits.
 */
export function slug(name: string): string {
  const plain = name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/gu, '')
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  const [id = ''] = /[\p{L}\p{N}].{0,63}/u.exec(plain) ?? [];
  return id.replace(/-$/u, '');
}

/** Ids appear in paths, logs and tables, so they must be normalised and short. */
export function isId(id: string): boolean {
  return id === id.normalize('NFC') && /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$/u.test(id);
}
