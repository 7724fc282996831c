import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** The part of a stream that decides about colours. */
export interface StyledStream {
  readonly isTTY: boolean;
  hasColors(): boolean;
}

/** Styles a text for a terminal with colours. For a pipe, with `NO_COLOR` and on a dumb terminal the text stays as it is. */
export function styled(stream: StyledStream, text: string, style: Style | undefined): string {
  if (style === undefined || !stream.isTTY || process.env['NO_COLOR'] || !stream.hasColors()) return text;
  // `validateStream` would look at stdout, whichever stream the text is for.
  return styleText(style, text, { validateStream: false });
}
