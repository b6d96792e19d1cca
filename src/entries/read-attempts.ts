import type { Readings } from '../../packages/control-system/sources.port.js';

/** Failed attempts to read the values of an entry. */
interface Failed {
  attempts: number;
  /** Whether any read has succeeded since the first of them. */
  othersRead: boolean;
  /** Devices to read next, one of which causes the failure; empty: all remaining devices. */
  suspects: readonly string[];
  /** Values read since then; for a device that was given up, the reason. */
  readonly readings: Map<string, Reading>;
}

type Reading = NonNullable<ReturnType<Readings['get']>>;

const notRead: Reading = { missing: 'it was not read' };

/**
 * Number of failed attempts after which a device that fails alone is given up: `own` if other devices of the same entry
 * were read, `others` if only other entries were.
 */
const maxAttempts = { others: 20, own: 10 } as const;

/** Entries whose values could not be read. A source that fails for one device must not delay all others. */
export class ReadAttempts {
  private readonly failed = new Map<string, Failed>();

  /** Returns the entries, those with the fewest failures first, and forgets the entries that are not among them. */
  inOrder<T>(entries: readonly T[], idOf: (entry: T) => string): T[] {
    const ids = new Set(entries.map(idOf));
    for (const id of this.failed.keys()) if (!ids.has(id)) this.failed.delete(id);
    const attemptsOf = (entry: T) => this.failed.get(idOf(entry))?.attempts ?? 0;
    return [...entries].sort((one, other) => attemptsOf(one) - attemptsOf(other));
  }

  /** Returns the devices of an entry to read now: after a failure, only some of them. */
  next(id: string, devices: readonly string[]): readonly string[] {
    const failed = this.failed.get(id);
    if (!failed) return devices;
    return failed.suspects.length > 0 ? failed.suspects : devices.filter((name) => !failed.readings.has(name));
  }

  /** Notes the values of some devices of an entry; returns the values of all its devices when none is left to read. */
  noteRead(id: string, devices: readonly string[], names: readonly string[], read: Readings): Readings | undefined {
    for (const other of this.failed.values()) other.othersRead = true;
    const failed = this.failed.get(id);
    if (!failed) return read;
    failed.suspects = [];
    // A name that the source omits must not be requested again and again.
    for (const name of names) failed.readings.set(name, read.get(name) ?? notRead);
    return this.whole(id, devices);
  }

  /**
   * Notes a failed attempt to read some devices of an entry. A device that has failed often enough is given up. Returns
   * the values of all devices when none is left to read.
   * @param missing the reason of the failure, for each device
   */
  noteFailure(
    id: string,
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

  private whole(id: string, devices: readonly string[]): Readings | undefined {
    const readings = this.failed.get(id)?.readings;
    return readings && devices.every((name) => readings.has(name)) ? this.take(id) : undefined;
  }

  /** Returns the values that were read of an entry since it failed, and forgets the entry. */
  take(id: string): Readings {
    const readings = this.failed.get(id)?.readings ?? new Map<string, Reading>();
    this.failed.delete(id);
    return readings;
  }
}
