import type { Readings } from '../../packages/control-system/sources.port.js';

/** Failed attempts to read the values of an entry. */
interface Failed {
  attempts: number;
  /** Whether something else was read since the first of them. */
  othersRead: boolean;
  /** Devices that are read next, since one of them is the cause; empty: all remaining ones. */
  suspects: readonly string[];
  /** Values that were read since, and devices that are given up. */
  readonly readings: Map<string, Reading>;
}

type Reading = NonNullable<ReturnType<Readings['get']>>;

const notRead: Reading = { missing: 'it was not read' };

/** Failed attempts after which a device is given up that fails alone, while other entries or other devices can be read. */
const maxAttempts = { others: 20, own: 10 } as const;

/** Entries whose values could not be read. A source that fails for one device must not delay all others. */
export class ReadAttempts {
  private readonly failed = new Map<number, Failed>();

  /** Returns the entries, those first that failed the fewest times, and forgets all others. */
  inOrder<T>(entries: readonly T[], idOf: (entry: T) => number): T[] {
    const ids = new Set(entries.map(idOf));
    for (const id of this.failed.keys()) if (!ids.has(id)) this.failed.delete(id);
    const attemptsOf = (entry: T) => this.failed.get(idOf(entry))?.attempts ?? 0;
    return [...entries].sort((one, other) => attemptsOf(one) - attemptsOf(other));
  }

  /** Returns the devices of an entry to read now: after a failure, some of those that are left. */
  next(id: number, devices: readonly string[]): readonly string[] {
    const failed = this.failed.get(id);
    if (!failed) return devices;
    return failed.suspects.length > 0 ? failed.suspects : devices.filter((name) => !failed.readings.has(name));
  }

  /** Notes what was read for some devices of an entry; returns the values of all of them when none is left. */
  noteRead(id: number, devices: readonly string[], names: readonly string[], read: Readings): Readings | undefined {
    for (const other of this.failed.values()) other.othersRead = true;
    const failed = this.failed.get(id);
    if (!failed) return read;
    failed.suspects = [];
    // A name that the source omits must not be asked for again and again.
    for (const name of names) failed.readings.set(name, read.get(name) ?? notRead);
    return this.whole(id, devices);
  }

  /**
   * Notes a failed attempt to read some devices of an entry. One that has failed often enough is given up. Returns the
   * values of all devices when none is left.
   * @param missing the reason in place of each value
   */
  noteFailure(
    id: number,
    devices: readonly string[],
    names: readonly string[],
    missing: Readings,
  ): Readings | undefined {
    const failed = this.failed.get(id) ?? { attempts: 0, othersRead: false, suspects: [], readings: new Map() };
    failed.attempts += 1;
    this.failed.set(id, failed);
    failed.suspects = names.slice(0, Math.ceil(names.length / 2));
    const [name = ''] = names;
    const reason = missing.get(name);
    const enough = failed.readings.size > 0 ? maxAttempts.own : maxAttempts.others;
    if (names.length > 1 || !reason || !failed.othersRead || failed.attempts < enough) return undefined;
    failed.readings.set(name, reason);
    failed.suspects = [];
    return this.whole(id, devices);
  }

  private whole(id: number, devices: readonly string[]): Readings | undefined {
    const readings = this.failed.get(id)?.readings;
    return readings && devices.every((name) => readings.has(name)) ? this.take(id) : undefined;
  }

  /** Returns what is known of an entry after a failure, and forgets it. */
  take(id: number): Readings {
    const readings = this.failed.get(id)?.readings ?? new Map<string, Reading>();
    this.failed.delete(id);
    return readings;
  }
}
