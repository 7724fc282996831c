import type { Message } from '../../model/message.ts';
import type { TaskStatus } from '../../model/task.ts';
import { withoutList } from '../questions/open-questions.ts';

/** The messages of a task as its handler sees them: the history including writes that are not stored yet. */
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

  /** The size of the messages. Each is measured once and on demand, because most runs end before it is needed. */
  get bytes(): number {
    for (; this.#measured < this.#past.length; this.#measured++)
      this.#bytes += JSON.stringify(this.#past[this.#measured]).length;
    return this.#bytes;
  }

  /** Records a new status. The message of the previous status becomes part of the history. */
  see({ message }: TaskStatus): void {
    const last = this.#current;
    if (last !== undefined && last.messageId !== message?.messageId) this.#past.push(withoutList(last));
    this.#current = message;
  }

  add(messages: readonly Message[]): void {
    this.#past.push(...messages);
  }
}
