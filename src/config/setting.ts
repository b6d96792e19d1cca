import type { Names } from './setting-names.js';

/** One setting: how its text is parsed, its default, and how it is documented. */
export interface Setting<T> extends Omit<Names, 'name'> {
  /** @throws Error that says what the text must look like */
  readonly parse: (text: string) => T;
  /** As the user would write it; empty when the setting is not set by default. */
  readonly defaultText: string;
  /** Stands for the value in `--help`. */
  readonly placeholder: string;
  readonly description: string;
  /** Never printed. */
  readonly secret?: true;
  /** It names a file, whose path may be relative to the file that contains the setting. */
  readonly isFile?: true;
  /** Whether the environment variable with the name of the setting is read, too. */
  readonly bareEnvironmentName?: true;
}

/** Says what is wrong with the text of a setting; without the text itself when it is secret. */
export function settingError(origin: string, text: string, secret: boolean | undefined, error: unknown): string {
  return `${origin}${secret ? ':' : ` is “${text}”;`} ${(error as Error).message}`;
}
