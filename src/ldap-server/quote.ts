/** A value as it may be quoted in a message: bounded, on one line. */
export function quote(value: string, maxLength = 80): string {
  const text = value.replace(/[\p{Cc}\p{Cs}]/gu, '�');
  return `“${text.length > maxLength ? `${text.slice(0, maxLength)}…` : text}”`;
}
