/** One setting: how its text is read, what holds when it is absent, and what people are told about it. */
export interface Setting<T> {
  /** The value that the text means. @throws Error for people when it means none */
  readonly parse: (text: string) => T;
  /** As the user would write it. */
  readonly defaultText: string;
  /** What stands in place of the value in `--help`. */
  readonly placeholder: string;
  readonly description: string;
  /** Never printed. */
  readonly secret?: true;
  /** Also read from the environment variable of the setting's own name. */
  readonly bareEnvironmentName?: true;
}

/** What is wrong with the text of a setting, for people. Without the text itself when it is secret. */
export function settingError(origin: string, text: string, secret: boolean | undefined, error: unknown): string {
  return `${origin}${secret ? ':' : ` is “${text}”;`} ${(error as Error).message}`;
}
