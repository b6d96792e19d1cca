import { parseEntryId } from '../api/entry-id.ts';
import type { Hit } from '../api/types.ts';
import type { Draft } from '../drafts/draft.ts';

/**
 * Property that makes an ordinary entry a hand-over: `shift`, and `from` and `to` as times of ISO 8601. The person who
 * takes over replies with an entry that has the property too: `acknowledges`, the id, and `acknowledgedBy`. Unlike an
 * edit, a reply has its own author and time, and needs no right to change entries of others.
 */
export const handOverProperty = 'Hand-over';

export interface HandOver {
  readonly entryId: number;
  readonly shift: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly author: string;
  readonly userName: string;
  readonly writtenMs: number;
  readonly logbooks: readonly string[];
  readonly title: string;
  readonly acknowledgement: { readonly by: string; readonly atMs: number } | undefined;
}

type Described = Pick<Hit, 'id' | 'owner' | 'ownerName' | 'createdDate' | 'properties' | 'logbooks' | 'title'>;

/** The hand-overs among the entries, each with its first acknowledgement, the latest shift first. */
export function toHandOvers(entries: readonly Described[]): HandOver[] {
  const acknowledgements = entries
    .flatMap((entry) => {
      const acknowledges = parseEntryId(attribute(entry, 'acknowledges'));
      return acknowledges !== undefined
        ? [{ acknowledges, by: entry.ownerName ?? entry.owner, atMs: entry.createdDate }]
        : [];
    })
    .sort((a, b) => a.atMs - b.atMs);
  return entries
    .flatMap((entry): HandOver[] => {
      const [fromMs, toMs] = [Date.parse(attribute(entry, 'from') ?? ''), Date.parse(attribute(entry, 'to') ?? '')];
      if (Number.isNaN(fromMs) || Number.isNaN(toMs)) return [];
      const first = acknowledgements.find(({ acknowledges }) => acknowledges === entry.id);
      return [
        {
          entryId: entry.id,
          shift: attribute(entry, 'shift') ?? '',
          fromMs,
          toMs,
          author: entry.ownerName ?? entry.owner,
          userName: entry.owner,
          writtenMs: entry.createdDate,
          logbooks: entry.logbooks.map(({ name }) => name),
          title: entry.title,
          acknowledgement: first && { by: first.by, atMs: first.atMs },
        },
      ];
    })
    .sort((a, b) => b.fromMs - a.fromMs || b.entryId - a.entryId);
}

function attribute({ properties }: Described, name: string): string | undefined {
  const property = properties.find((one) => one.name === handOverProperty);
  return property?.attributes.find((one) => one.name === name)?.value ?? undefined;
}

/** Time for which a hand-over stays open; older ones count as forgotten. */
const openForMs = 24 * 3_600_000;

/**
 * Returns the hand-overs that wait for the next shift: those of the last shift that was handed over, and those of
 * earlier shifts that were written after them. The times of a shift come from the clock of its writer: if a shift has
 * not begun yet, that clock is wrong.
 */
export function openHandOvers(handOvers: readonly HandOver[], nowMs: number): HandOver[] {
  const begun = handOvers.filter(({ fromMs }) => fromMs <= nowMs);
  const lastMs = Math.max(...begun.map(({ fromMs }) => fromMs));
  const handedOverMs = Math.min(...begun.filter(({ fromMs }) => fromMs === lastMs).map(({ writtenMs }) => writtenMs));
  return begun.filter(
    ({ fromMs, writtenMs, acknowledgement }) =>
      !acknowledgement && nowMs - writtenMs <= openForMs && (fromMs === lastMs || writtenMs > handedOverMs),
  );
}

/** The property of the hand-over of a shift. */
export function handOverOf(shift: { readonly name: string; readonly startMs: number; readonly endMs: number }) {
  return {
    name: handOverProperty,
    attributes: [
      { name: 'shift', value: shift.name },
      { name: 'from', value: new Date(shift.startMs).toISOString() },
      { name: 'to', value: new Date(shift.endMs).toISOString() },
    ],
  };
}

/** Whether the draft is a hand-over of the shift that begins then. */
export function isHandOverOf(draft: Draft, startMs: number): boolean {
  const property = draft.content.properties.find(({ name }) => name === handOverProperty);
  const from = property?.attributes.find(({ name }) => name === 'from')?.value;
  return from !== undefined && Date.parse(from) === startMs;
}
