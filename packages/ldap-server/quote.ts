/** Quotes a value for a message: shortened, and without control characters. */
export function quote(value: string, maxLength = 80): string {
  const text = value.replace(/[\p{Cc}\p{Cs}]/gu, '�');
  return `“${text.length > maxLength ? `${text.slice(0, maxLength)}…` : text}”`;
}
