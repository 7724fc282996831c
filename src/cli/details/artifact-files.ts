import { closeSync, openSync, writeSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { Artifact } from '../../model/artifact.ts';
import type { Part } from '../../model/part.ts';
import { extensionOf } from '../agents/media-types.ts';

/** A file of an artifact. */
export interface ArtifactFile {
  readonly name: string;
  /** The bytes of the file, or the URL to fetch them from. */
  readonly content: Uint8Array | { readonly url: string };
}

/** Returns the files of an artifact: each file part, and one file with all text and data parts. */
export function filesOf({ artifactId, name, parts }: Artifact): readonly ArtifactFile[] {
  const title = name ?? artifactId;
  const files = parts.flatMap((part, i): readonly ArtifactFile[] => {
    const fileName = nameOf(part, parts.length === 1 ? title : `${title}-${i + 1}`);
    if ('raw' in part) return [{ name: fileName, content: Buffer.from(part.raw, 'base64') }];
    return 'url' in part ? [{ name: fileName, content: { url: part.url } }] : [];
  });
  const texts = parts.filter((part) => 'text' in part || 'data' in part);
  const [first] = texts;
  if (first === undefined) return files;
  const isData = texts.every((part) => 'data' in part);
  const fallback = { mediaType: isData ? 'application/json' : 'text/plain' };
  const text = texts
    .map((part) =>
      'text' in part ? part.text : `${JSON.stringify('data' in part ? part.data : null, undefined, 2)}\n`,
    )
    .join('');
  return [{ name: nameOf({ ...fallback, ...first }, title), content: Buffer.from(text) }, ...files];
}

/**
 * The agent chooses the file name, so it must be a plain name: no path, no leading dot, and no bidirectional control characters,
 * which would display `pic<RLO>gpj.exe` as `picexe.jpg`.
 */
function nameOf({ filename, mediaType }: Pick<Part, 'filename' | 'mediaType'>, title: string): string {
  const given = basename((filename ?? title).replaceAll('\\', '/'))
    .replaceAll(/[\p{Cc}\p{Bidi_Control}<>:"|?*]/gu, '_')
    // Cut from the left to keep the extension. The rest may start with a dot, so dots are removed afterwards.
    .slice(-120)
    .replace(/^\.+/, '');
  const name = given || 'artifact';
  return extname(name) === '' ? name + extensionOf(mediaType) : name;
}

/** Writes a new file and returns its path. Adds a number to the name if a file of that name exists. */
export function writeNew(folder: string, name: string, content: Uint8Array): string {
  const extension = extname(name);
  for (let n = 0; ; n++) {
    const path = join(folder, n === 0 ? name : `${name.slice(0, name.length - extension.length)}-${n}${extension}`);
    try {
      const file = openSync(path, 'wx');
      writeSync(file, content);
      closeSync(file);
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
