/** A new random id for things that strangers see: unguessable, 122 bits. */
export function newId(): string {
  return crypto.randomUUID();
}
