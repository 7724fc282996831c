/** A received notification before any check. */
export interface IncomingNotification {
  /** The HTTP method. Only `POST` is accepted. */
  readonly method: string;
  /** Returns the value of a header. @param name In lower case. */
  header(name: string): string | undefined;
  /** The exact text of the body, because signatures cover it. */
  readonly body: string;
}

/** A rejected notification. The message is sent to the sender, which may be unauthenticated. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
