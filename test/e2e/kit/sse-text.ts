/** One event of a stream, with the lines that made it. */
export interface SseEvent {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** The data, which always is JSON here. */
  readonly json: unknown;
}

/** Splits `text/event-stream` as we write it: a `data` line each, `\n` only. Comments are passed over. */
export class SseText {
  text = '';
  #read = 0;

  push(piece: string): void {
    this.text += piece;
  }

  /** The next whole event, if it is there. */
  take(): SseEvent | undefined {
    for (;;) {
      const end = this.text.indexOf('\n\n', this.#read);
      if (end < 0) return undefined;
      const lines = this.text.slice(this.#read, end).split('\n');
      this.#read = end + 2;
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data !== undefined) return { id: field('id'), name: field('event'), json: JSON.parse(data) as unknown };
    }
  }
}

/** All events of a stream that is over. */
export function eventsOf(text: string): readonly SseEvent[] {
  const parser = new SseText();
  parser.push(text);
  const events: SseEvent[] = [];
  for (let event = parser.take(); event !== undefined; event = parser.take()) events.push(event);
  return events;
}
