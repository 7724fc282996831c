/**
 * The URL of the repository. `node scripts/project.mjs` writes it into `package.json`, from which npm links the README,
 * the issues and the home page. While it is undefined, `package.json` has none of these members.
 */
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** For example `https://github.com/owner/tandem-a2a`. @type {string | undefined} */
export const REPOSITORY = undefined;

/**
 * The manifest with the members that follow from the address of the repository, after `license`.
 *
 * @param {Record<string, unknown>} manifest
 * @param {string | undefined} repository
 * @returns {Record<string, unknown>}
 */
export function withProject(manifest, repository) {
  const { repository: _repository, homepage: _homepage, bugs: _bugs, ...others } = manifest;
  if (repository === undefined) return others;
  const project = {
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: 'git', url: `git+${repository}.git` },
  };
  const members = Object.entries(others);
  const at = members.findIndex(([name]) => name === 'license');
  return Object.fromEntries([...members.slice(0, at), ...Object.entries(project), ...members.slice(at)]);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const file = new URL('../package.json', import.meta.url);
  const manifest = withProject(JSON.parse(readFileSync(file, 'utf8')), REPOSITORY);
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
