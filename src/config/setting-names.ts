export interface Names {
  readonly name: string;
  /** Additional names that are equally valid. */
  readonly aliases?: readonly string[];
  /** Names from earlier versions; their use logs a warning. */
  readonly formerNames?: readonly string[];
}

/** A way to write the name of a setting. */
export interface Spelling {
  /** The name of the setting. */
  readonly name: string;
  /** The written name, alias or former name. */
  readonly used: string;
  readonly isFormer: boolean;
}

/** Lists every spelling that a source accepts, written in each of the given ways. */
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
