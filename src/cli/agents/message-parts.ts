import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { JsonValue } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { defined } from '../../support/defined.ts';
import { CliError } from '../cli-error.ts';
import { mediaTypeOfFile } from './media-types.ts';
import type { Options, Token } from '../option.ts';
import { readJson } from '../read-values.ts';

export const PART_OPTIONS = {
  text: { multiple: true, value: '<text>', help: 'Add a text part; - reads it from stdin', flagOnly: true },
  file: {
    multiple: true,
    value: '<path|url>',
    help: 'Add a file part: the content of a path, or a URL as it is',
    flagOnly: true,
  },
  data: {
    multiple: true,
    value: '<path|json>',
    help: 'Add a data part: a JSON file, JSON text, or - for stdin',
    flagOnly: true,
  },
  'media-type': { multiple: true, value: '<type>', help: 'Set the media type of the part before it', flagOnly: true },
} as const satisfies Options;

/** Returns the parts of a message in the order of the command line. The words form one text, at the position of the first word. */
export function readParts(tokens: readonly Token[], words: readonly string[]): readonly Part[] {
  const parts: Part[] = [];
  let isTextTaken = false;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (isTextTaken || words.length === 0 || token.value !== words[0]) continue;
      isTextTaken = true;
      parts.push({ text: words.length === 1 && words[0] === '-' ? readStdin() : words.join(' ') });
      continue;
    }
    const { name, value = '' } = token;
    if (name === 'text') parts.push({ text: value === '-' ? readStdin() : value });
    else if (name === 'file') parts.push(filePart(value));
    else if (name === 'data') parts.push({ data: dataOf(value) });
    else if (name === 'media-type') parts.push(withType(parts.pop(), value));
  }
  return parts;
}

function withType(part: Part | undefined, mediaType: string): Part {
  if (part !== undefined) return { ...part, mediaType };
  throw new CliError('usage', '--media-type must follow the part that it describes');
}

function filePart(given: string): Part {
  if (/^https?:\/\//i.test(given)) {
    const filename = basename(new URL(given).pathname) || undefined;
    return defined({ url: given, filename, mediaType: mediaTypeOfFile(filename ?? '') });
  }
  return defined({
    raw: readFile(given).toString('base64'),
    filename: basename(given),
    mediaType: mediaTypeOfFile(given),
  });
}

function dataOf(given: string): JsonValue {
  if (given === '-') return readJson('The input on stdin', readStdin()) as JsonValue;
  const isInline = /^\s*[[{"]/.test(given);
  return readJson(isInline ? '--data' : given, isInline ? given : readFile(given).toString('utf8')) as JsonValue;
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new CliError('usage', `File ${path} cannot be read`, { cause });
  }
}

/** @throws CliError if stdin is a terminal, because the command would wait for input without a prompt. */
function readStdin(): string {
  if (process.stdin.isTTY)
    throw new CliError('usage', 'stdin is a terminal; pipe a file or the output of a command into it');
  return readFileSync(0, 'utf8');
}
