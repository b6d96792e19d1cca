import { type FeedItem, isIntact, type RecordedChange } from './change-feed.port.js';
import { devicesWithoutAttribute, devicesWithoutValue, lacksDeviceValues } from './device-values.js';
import type { ValuesStage } from './device-values-store.port.js';
import type { Entry, EventMark } from './entry.js';
import type { EntryStorage } from './entry-storage.js';
import { devicesAtEvents, eventsWithoutValues } from './event-values.js';
import type { ListedDevices } from './listed-devices.js';
import { unlessDamaged } from './unless-damaged.js';

/** A moment of an entry whose values are missing, with the devices to read. */
export interface Lacking {
  readonly change: RecordedChange;
  readonly devices: readonly string[];
  /** Time of the values, in milliseconds since the epoch. */
  readonly momentMs: number;
  /** Event at that time; undefined: the creation of the entry. */
  readonly event?: EventMark;
}

/** A change, and the entry that it has created or edited. */
interface Changed {
  readonly change: RecordedChange;
  readonly entry: Entry;
  readonly nowMs: number;
}

export const isCreation = (item: FeedItem): item is RecordedChange => isIntact(item) && item.kind === 'created';

export const isEdit = ({ kind }: RecordedChange): boolean => kind === 'edited';

/** Whether a change may name devices that have no values. */
export const mayNameDevices = (item: FeedItem): item is RecordedChange =>
  isCreation(item) || (isIntact(item) && isEdit(item));

/** Returns the time until which the events of a new entry are past. The time of a change may be in the future. */
export const pastUntil = ({ atMs }: RecordedChange, nowMs: number): number => Math.min(atMs, nowMs);

/** Returns the key of a moment in attempts to read its values. */
export const keyOf = ({ change, event }: Lacking): string =>
  isEdit(change) ? `${change.entryId} edit ${change.sequence}` : `${change.entryId} ${event?.instant ?? 'created'}`;

interface Wanted {
  readonly stage: ValuesStage;
  readonly changes: readonly FeedItem[];
  readonly nowMs: number;
  readonly listed: ListedDevices;
}

/** Lists the moments whose values are missing after these changes. */
export async function findLacking(
  { entries }: Pick<EntryStorage['committed'], 'entries'>,
  { stage, changes, nowMs, listed }: Wanted,
  signal: AbortSignal,
): Promise<Lacking[]> {
  const lacking: Lacking[] = [];
  for (const change of changes.filter(mayNameDevices)) {
    const stored = await unlessDamaged(() => entries.find(change.entryId));
    signal.throwIfAborted();
    // The devices of a damaged entry are not known.
    if (!stored || stored === 'damaged') continue;
    const entry = await listed.addTo(stored.entry);
    if (!isEdit(change)) lacking.push(...lackingMoments(stage, { entry, change, nowMs }));
    else if (stage === 'history') lacking.push(...(await lackingSinceEdit(entries, { change, entry, listed })));
  }
  return lacking;
}

/** Returns the devices of a moment that still lack values, because another job may have added some in the meantime. */
export function stillLacking(stage: ValuesStage, moment: Lacking, entry: Entry, nowMs: number): readonly string[] {
  const { change, devices } = moment;
  const lacking = isEdit(change)
    ? devicesWithoutAttribute(entry)
    : lackingMoments(stage, { entry, change, nowMs }).find((one) => keyOf(one) === keyOf(moment))?.devices;
  return devices.filter((name) => lacking?.includes(name));
}

/**
 * Returns the moments of a new entry whose values a job adds. The live job only adds values to an entry that has none;
 * only the job of archived values adds those of events.
 */
function lackingMoments(stage: ValuesStage, { entry, change, nowMs }: Changed): Lacking[] {
  const devices = stage === 'live' && !lacksDeviceValues(entry) ? [] : devicesWithoutValue(entry);
  const created = devices.length > 0 ? [{ change, devices, momentMs: entry.createdDate }] : [];
  if (stage === 'live') return created;
  const events = eventsWithoutValues(entry, pastUntil(change, nowMs)).map((event) => {
    return { change, devices: devicesAtEvents(entry), momentMs: event.instant, event };
  });
  return [...created, ...events];
}

/** Returns the creation of an edited entry, with the devices that the edit has named, or added with a logbook. */
async function lackingSinceEdit(
  entries: EntryStorage['committed']['entries'],
  { change, entry, listed }: Omit<Changed, 'nowMs'> & Pick<Wanted, 'listed'>,
): Promise<Lacking[]> {
  const candidates = devicesWithoutAttribute(entry);
  if (candidates.length === 0) return [];
  const former = await unlessDamaged(() => findFormer(entries, change));
  if (!former || former === 'damaged') return [];
  const { devices: known } = await listed.addTo(former);
  const devices = candidates.filter((name) => !known?.includes(name));
  return devices.length > 0 ? [{ change, devices, momentMs: entry.createdDate }] : [];
}

/** Returns the version before an edit. */
async function findFormer(
  entries: EntryStorage['committed']['entries'],
  { entryId, revision }: RecordedChange,
): Promise<Entry | undefined> {
  for await (const archived of entries.listArchived(entryId)) if (archived.revision < revision) return archived.entry;
  return undefined;
}
