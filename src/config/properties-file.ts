import { parse } from 'dot-properties';
import { readTextFile } from './file-path.js';

/**
 * Reads a Java `.properties` file in UTF-8.
 * @throws Error that says why it cannot be read
 */
export function readPropertiesFile(file: string): Record<string, string> {
  const text = readTextFile(file);
  try {
    return parse(text) as Record<string, string>;
  } catch (error) {
    throw new Error(`the file is not a properties file (${(error as Error).message})`, { cause: error });
  }
}
