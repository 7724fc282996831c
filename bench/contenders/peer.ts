/** Imports by a computed name: peers are installed for the bench only, and the types must hold without them. */
export function peer<T>(name: string): Promise<T> {
  return import(name) as Promise<T>;
}
