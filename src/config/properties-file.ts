import { readFileSync } from 'node:fs';
import { parse } from 'dot-properties';

/**
 * Reads a Java `.properties` file in UTF-8.
 * @throws Error that says why it cannot be read
 */
export function readPropertiesFile(file: string): Record<string, string> {
  try {
    return parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem =
      code === 'ENOENT' ? 'file not found' : code === 'EACCES' ? 'permission denied' : 'the file cannot be read';
    throw new Error(problem, { cause: error });
  }
}
