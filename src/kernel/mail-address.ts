const maxLength = 254;

/** Whether the text is a mail address alone, without a name: nothing in it ends a header or names a second recipient. */
export function isMailAddress(text: string): boolean {
  if (text.length > maxLength || /\p{Cc}/u.test(text)) return false;
  return /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text);
}

/** Returns the mail address of a user from the answer of a provider; undefined if it is not an address. */
export function toMailAddress(told: unknown): string | undefined {
  const address = typeof told === 'string' ? told.trim() : '';
  return isMailAddress(address) ? address : undefined;
}
