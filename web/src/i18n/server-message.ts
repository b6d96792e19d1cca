import i18next from 'i18next';

/**
 * The message of an error of the server in the shown language. What the server quotes, and the limit that it names, are
 * taken from its English; where a text is missing, or puts in more than that, the English is returned.
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
