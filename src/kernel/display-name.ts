import { onOneLine } from './text.js';

/** Maximum length in UTF-16 code units. */
const maxLength = 255;

/**
 * Returns the display name of a user from a directory, on one line and of limited length; undefined if it is missing or
 * equal to the user name. Users may be able to choose it, so it does not identify a user.
 */
export function toDisplayName(told: unknown, userName: string): string | undefined {
  if (typeof told !== 'string') return undefined;
  const name = onOneLine(told.toWellFormed()).trim().slice(0, maxLength).toWellFormed().trim();
  return name === '' || name.toLowerCase() === userName.toLowerCase() ? undefined : name;
}
