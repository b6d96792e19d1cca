import { parse, stringify } from 'dot-properties';
import { readTextFile } from './file-path.js';

/**
 * Reads a Java `.properties` file in UTF-8.
 * @throws Error that explains why it cannot be read
 */
export function readPropertiesFile(file: string): Record<string, string> {
  // Editors on Windows may add a byte order mark to the beginning of a file.
  const text = readTextFile(file).replace(/^\ufeff/, '');
  if (text.includes('\0')) throw new Error('the file is not a text in UTF-8: it has zero bytes. Save it as UTF-8');
  try {
    return parse(text) as Record<string, string>;
  } catch (error) {
    throw new Error(`the file is not a properties file (${(error as Error).message})`, { cause: error });
  }
}

/** Returns the text of a `.properties` file with these values, which may contain any characters. */
export function toPropertiesText(comment: string | undefined, pairs: readonly (readonly [string, string])[]): string {
  const lines = pairs.map(([key, value]): [string, string] => [key, value]);
  const text = stringify([...(comment === undefined ? [] : [comment]), ...lines], { latin1: false, lineWidth: null });
  return `${text}\n`;
}
