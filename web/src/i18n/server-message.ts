import i18next from 'i18next';

/**
 * Returns the message of a server error in the shown language, with the quoted values and the limit of the English one.
 * Returns the English message if there is no translation, or if the translation needs other values.
 */
export function serverMessage(code: string, english: string): string {
  const text: unknown = i18next.getResource(i18next.language, 'faults', code);
  if (typeof text !== 'string') return english;
  const quoted = Array.from(english.matchAll(/“([^”]*)”/g), ([, value]) => value);
  const [, limit] = /The limit is ([\d.,]+(?: [kMGT]?B)?) /.exec(english) ?? [];
  const values: Record<string, string | undefined> = { ...Object.fromEntries(quoted.entries()), limit };
  const names = Array.from(text.matchAll(/\{\{(\w+)\}\}/g), ([, name = '']) => name);
  if (names.some((name) => values[name] === undefined)) return english;
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}
