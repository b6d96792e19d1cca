import { parse, stringify } from 'dot-properties';
import { readTextFile } from './file-path.js';

/**
 * Reads a Java `.properties` file in UTF-8.
 * @throws Error that says why it cannot be read
 */
export function readPropertiesFile(file: string): Record<string, string> {
  // Editors on Windows begin a file with a byte order mark.
  const text = readTextFile(file).replace(/^\ufeff/, '');
  if (text.includes('\0')) throw new Error('the file is not a text in UTF-8: it has zero bytes. Save it as UTF-8');
  try {
    return parse(text) as Record<string, string>;
  } catch (error) {
    throw new Error(`the file is not a properties file (${(error as Error).message})`, { cause: error });
  }
}

/** Returns the text of a `.properties` file that has these values, whatever characters are in them. */
export function toPropertiesText(comment: string | undefined, pairs: readonly (readonly [string, string])[]): string {
  const lines = pairs.map(([key, value]): [string, string] => [key, value]);
  const text = stringify([...(comment === undefined ? [] : [comment]), ...lines], { latin1: false, lineWidth: null });
  return `${text}\n`;
}
