import type { ArtifactWriter, ChunkOptions } from '../handler.ts';
import type { OutputContent, StatusOutput } from './output.ts';

/** Creates the `ArtifactWriter` of `artifact(name)`. Its outputs go to `publish`. */
export function artifactWriter(name: string, publish: (output: object) => Promise<void>): ArtifactWriter {
  return {
    append: (content, options) => publish(chunk(name, content, options, true)),
    replace: (content, options) => publish(chunk(name, content, options, false)),
  };
}

/** The output for `status(…)`: a string means `working`. */
export function statusOutput(status: string | StatusOutput): StatusOutput {
  return typeof status === 'string' ? { status: 'working', text: status } : status;
}

function chunk(
  artifact: string,
  content: string | OutputContent,
  options: ChunkOptions | undefined,
  append: boolean,
): object {
  return { artifact, ...(typeof content === 'string' ? { text: content } : content), ...options, append };
}
