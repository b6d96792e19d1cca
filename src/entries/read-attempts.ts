/** Attempts to read the values of an entry that failed. */
interface Failed {
  attempts: number;
  /** Whether another entry was read since the first of them. */
  othersRead: boolean;
}

/** Failed attempts after which an entry is given up, if others can be read. */
const maxAttempts = 20;

/** Entries whose values could not be read. A source that fails for one entry must not delay all others. */
export class ReadAttempts {
  private readonly failed = new Map<number, Failed>();

  /** Returns the entries, those first that failed the fewest times, and forgets all others. */
  inOrder<T>(entries: readonly T[], idOf: (entry: T) => number): T[] {
    const ids = new Set(entries.map(idOf));
    for (const id of this.failed.keys()) if (!ids.has(id)) this.failed.delete(id);
    const attemptsOf = (entry: T) => this.failed.get(idOf(entry))?.attempts ?? 0;
    return [...entries].sort((one, other) => attemptsOf(one) - attemptsOf(other));
  }

  noteRead(id: number): void {
    this.failed.delete(id);
    for (const other of this.failed.values()) other.othersRead = true;
  }

  /** Notes a failed attempt; returns whether the entry is to be given up. */
  noteFailure(id: number): boolean {
    const { attempts, othersRead } = this.failed.get(id) ?? { attempts: 0, othersRead: false };
    this.failed.set(id, { attempts: attempts + 1, othersRead });
    return othersRead && attempts + 1 >= maxAttempts;
  }
}
