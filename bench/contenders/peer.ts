/**
 * Imports by a computed name, because peers are only installed for the bench and the types must compile without them.
 */
export function peer<T>(name: string): Promise<T> {
  return import(name) as Promise<T>;
}
