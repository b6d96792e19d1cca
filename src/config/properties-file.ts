import { readFileSync } from 'node:fs';
import { parse } from 'dot-properties';

/**
 * The pairs of a Java `.properties` file, in UTF-8.
 * @throws Error for people when it cannot be read
 */
export function readPropertiesFile(file: string): Record<string, string> {
  try {
    return parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'it may not be read' : 'it cannot be read',
      {
        cause: error,
      },
    );
  }
}
