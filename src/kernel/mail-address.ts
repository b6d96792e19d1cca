const maxLength = 254;

/** Whether the text is a bare mail address without a name, which cannot end a header or add a second recipient. */
export function isMailAddress(text: string): boolean {
  if (text.length > maxLength || /\p{Cc}/u.test(text)) return false;
  return /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text);
}

/** Returns the mail address of a user as told by a provider; undefined if it is not a valid address. */
export function toMailAddress(told: unknown): string | undefined {
  const address = typeof told === 'string' ? told.trim() : '';
  return isMailAddress(address) ? address : undefined;
}
