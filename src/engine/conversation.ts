import type { Message } from '../model/message.ts';
import type { TaskStatus } from '../model/task.ts';

/** What was said in a task so far, for its handler: the history as it will be when all that waits is stored. */
export class Conversation {
  readonly #past: Message[];
  #current: Message | undefined;
  #measured = 0;
  #bytes = 0;

  constructor(history: readonly Message[], { message }: TaskStatus) {
    this.#past = [...history];
    this.#current = message;
  }

  get messages(): readonly Message[] {
    return this.#past;
  }

  /** The size of the messages. Each is measured once, when somebody asks: most runs are over before. */
  get bytes(): number {
    for (; this.#measured < this.#past.length; this.#measured++)
      this.#bytes += JSON.stringify(this.#past[this.#measured]).length;
    return this.#bytes;
  }

  /** A status has taken the place of another: what that one said belongs to the past. */
  see({ message }: TaskStatus): void {
    const last = this.#current;
    if (last !== undefined && last.messageId !== message?.messageId) this.#past.push(last);
    this.#current = message;
  }

  add(messages: readonly Message[]): void {
    this.#past.push(...messages);
  }
}
