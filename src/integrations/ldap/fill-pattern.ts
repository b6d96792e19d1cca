/**
 * Replaces the placeholders `{0}` and `{1}` of a pattern with values that cannot change its structure: every ASCII
 * character except letters and digits becomes a backslash and its code, which is an escape both in a DN (RFC 4514) and
 * in a filter (RFC 4515).
 */
export function fillPattern(pattern: string, ...values: readonly string[]): string {
  return pattern.replace(/\{(\d)\}/g, (placeholder, index: string) => {
    const value = values[Number(index)];
    return value === undefined ? placeholder : escapeValue(value);
  });
}

function escapeValue(value: string): string {
  return value.replace(/[\x00-\x7f]/g, (char) =>
    /[A-Za-z0-9]/.test(char) ? char : `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
