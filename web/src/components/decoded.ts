/** Returns a percent-encoded text decoded, or as it is if it is not correctly encoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
