export const empty = undefined;
