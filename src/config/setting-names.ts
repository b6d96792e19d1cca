export interface Names {
  readonly name: string;
  /** Other names, as good as the first. */
  readonly aliases?: readonly string[];
  /** Names of earlier versions; using one logs a warning. */
  readonly formerNames?: readonly string[];
}

/** One way to write the name of a setting. */
export interface Spelling {
  /** The name of the setting. */
  readonly name: string;
  /** The name, alias or former name that is written. */
  readonly used: string;
  readonly isFormer: boolean;
}

/** Lists every spelling in a source that writes a name in any of the given ways. */
export function listSpellings(
  all: Iterable<Names>,
  ways: readonly ((name: string) => string)[] = [(name) => name],
): Map<string, Spelling> {
  const spellings = new Map<string, Spelling>();
  for (const { name, aliases = [], formerNames = [] } of all) {
    for (const used of [name, ...aliases, ...formerNames]) {
      const spelling = { name, used, isFormer: formerNames.includes(used) };
      for (const write of ways) spellings.set(write(used), spelling);
    }
  }
  return spellings;
}
