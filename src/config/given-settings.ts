import type { Spelling } from './setting-names.js';

export interface GivenText {
  readonly text: string;
  /** Location of the text, such as `rootPath in logbook.properties`. */
  readonly origin: string;
  /** Directory of the file that contains the text; undefined when it is not in a file. */
  readonly dir?: string | undefined;
}

/** The use of a former name. */
export interface Deprecation {
  readonly origin: string;
  /** The name to use instead. */
  readonly replacement: string;
}

/**
 * Collects the texts of settings. Sources are added in order of precedence: the first one that contains a setting wins.
 */
export class GivenTexts {
  readonly problems: string[] = [];
  private readonly found = new Map<string, GivenText & { readonly spelling: Spelling }>();
  private readonly deprecated = new Map<string, Deprecation>();

  /**
   * Adds the text of a setting. Two different names of one setting are a problem, even in different sources, because
   * changing the overridden one would have no effect. Two aliases with the same text are accepted.
   */
  add(spelling: Spelling, given: GivenText): void {
    const { name, used, isFormer } = spelling;
    if (isFormer && !this.deprecated.has(used)) {
      this.deprecated.set(used, { origin: given.origin, replacement: name });
    }
    const earlier = this.found.get(name);
    if (!earlier) {
      this.found.set(name, { ...given, spelling });
      return;
    }
    if (earlier.spelling.used === used) return;
    if (isFormer || earlier.spelling.isFormer || earlier.text !== given.text) {
      this.problems.push(`${earlier.origin} and ${given.origin} are two names of one setting: use only ${name}`);
    }
  }

  get(name: string): GivenText | undefined {
    return this.found.get(name);
  }

  /** Returns the names of settings with their texts. */
  entries(): [string, GivenText][] {
    return [...this.found];
  }

  /** Returns one deprecation for each former name, however often it is used. */
  get deprecations(): Deprecation[] {
    return [...this.deprecated.values()];
  }
}
