import type { Names } from './setting-names.js';

/** A setting with its parser, default and documentation. */
export interface Setting<T> extends Omit<Names, 'name'> {
  /** @throws Error that says what the text must look like */
  readonly parse: (text: string) => T;
  /** The default as a user would write it; empty when there is none. */
  readonly defaultText: string;
  /** Stands for the value in `--help`. */
  readonly placeholder: string;
  readonly description: string;
  /** Marks a value that is never printed. */
  readonly secret?: true;
  /** Marks a setting that names a file. A relative path may be relative to the file that contains the setting. */
  readonly isFile?: true;
  /** Marks a setting for which the environment variable with its exact name is read, too. */
  readonly bareEnvironmentName?: true;
}

/** Returns the message about an invalid text of a setting, without the text itself if it is secret. */
export function settingError(origin: string, text: string, secret: boolean | undefined, error: unknown): string {
  return `${origin}${secret ? ':' : ` is “${text}”;`} ${(error as Error).message}`;
}
