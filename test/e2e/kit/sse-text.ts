/** One event of a stream. */
export interface SseEvent {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** The data, which is always JSON. */
  readonly json: unknown;
}

/** Parses `text/event-stream` as the server writes it: one `data` line per event, and `\n` only. Skips comments. */
export class SseText {
  text = '';
  #read = 0;

  push(piece: string): void {
    this.text += piece;
  }

  /** The next complete event; undefined if there is none yet. */
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

/** All events of a complete stream. */
export function eventsOf(text: string): readonly SseEvent[] {
  const parser = new SseText();
  parser.push(text);
  const events: SseEvent[] = [];
  for (let event = parser.take(); event !== undefined; event = parser.take()) events.push(event);
  return events;
}
