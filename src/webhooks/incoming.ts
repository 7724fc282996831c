/** A notification as it came, before anything of it is believed. */
export interface IncomingNotification {
  readonly method: string;
  /** The name in lower case. */
  header(name: string): string | undefined;
  /** The body to the character, for what is signed is signed like that. */
  readonly body: string;
}
