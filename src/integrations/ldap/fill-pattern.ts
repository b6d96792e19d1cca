/**
 * The pattern with its placeholders `{0}`, `{1}` replaced by the values, which can add nothing to what the pattern
 * says: every ASCII character but letters and digits is written as a backslash and its code, which means the same
 * in a DN (RFC 4514) and in a filter (RFC 4515).
 */
export function fillPattern(pattern: string, ...values: readonly string[]): string {
  return pattern.replace(/\{(\d)\}/g, (placeholder, index: string) => {
    const value = values[Number(index)];
    return value === undefined ? placeholder : escaped(value);
  });
}

function escaped(value: string): string {
  return value.replace(/[\x00-\x7f]/g, (char) =>
    /[A-Za-z0-9]/.test(char) ? char : `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
