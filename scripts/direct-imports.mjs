/**
 * A build plugin. If a module that is loaded late is in a chunk with others, the bundler creates a file for it with
 * only one line, `export { a as name } from "./chunk.js"`. Opening a file takes over a millisecond, so this plugin
 * makes the imports refer to the chunk itself.
 */
const ONLY_LINE = /^export \{ ([^}]+) \} from "\.\/([^"]+)";\s*$/;
const LATE_IMPORT = /\bimport\("(\.{1,2}\/(?:chunks\/)?)([^"/]+)"\)/g;

/** @returns {import('rolldown').Plugin} */
export function directImports() {
  return {
    name: 'direct-imports',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
      const lines = chunks.flatMap((chunk) => {
        const found = chunk.isEntry || chunk.moduleIds.length > 0 ? null : ONLY_LINE.exec(chunk.code);
        return found === null ? [] : [{ chunk, names: namesIn(found[1] ?? ''), target: found[2] ?? '' }];
      });
      const byFile = new Map(lines.map((line) => [line.chunk.fileName.replace(/^chunks\//, ''), line]));
      for (const chunk of chunks) {
        chunk.code = chunk.code.replace(LATE_IMPORT, (whole, folder, file) => {
          const line = byFile.get(file);
          if (line === undefined) return whole;
          // Destructured immediately, so that the bundlers of users can drop the rest of the chunk.
          const taken = line.names.map(([own, name]) => `${own}: ${name}`).join(', ');
          const given = line.names.map(([, name]) => name).join(', ');
          return `import("${folder}${line.target}").then(({ ${taken} }) => ({ ${given} }))`;
        });
      }
      for (const { chunk } of lines) delete bundle[chunk.fileName];
    },
  };
}

/** @param {string} list `a as one, two` */
function namesIn(list) {
  return list.split(', ').map((entry) => {
    const [own = '', name = own] = entry.split(' as ');
    return [own, name];
  });
}
