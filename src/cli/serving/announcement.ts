/** The agents that a command serves, as they are printed. */
export interface Announcement {
  /** The names of the agents. */
  readonly names: readonly string[];
  readonly url: string;
  /** The place of the store. */
  readonly place: string;
  /** The URLs of the agent cards. */
  readonly cards: readonly string[];
}

const LIST = new Intl.ListFormat('en');

/** The sentences that say which agents are served where. */
export function placesOf({ names, url, place }: Announcement): string {
  return `${LIST.format(names)} ${names.length === 1 ? 'is' : 'are'} at ${url}. Tasks are stored in ${place}.`;
}

/** The heading of the URLs of the cards. */
export function cardsHeading({ cards }: Announcement): string {
  return cards.length === 1 ? 'Agent card:' : 'Agent cards:';
}
