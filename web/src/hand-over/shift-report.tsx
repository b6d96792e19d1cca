import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Bootstrap, Hit } from '../api/types.ts';
import { formatId, formatMoment, formatTime } from '../components/format.ts';
import { Level, levelRank } from '../components/level.tsx';
import { findBegunDraft } from '../drafts/begin-draft.ts';
import { PrintView } from '../print/print-view.tsx';
import { PrintedAddress } from '../print/printed-entry.tsx';
import { Prose } from '../read/prose.tsx';
import { useMe } from '../session/me.ts';
import type { Shift } from '../shifts/shift.ts';
import { shiftName } from '../shifts/shift-name.ts';
import { shiftCountsQuery, shiftEntriesQuery } from '../shifts/shift-queries.ts';
import { entryQuery } from '../wall/use-wall.ts';
import { type HandOver, isHandOverOf } from './hand-over.ts';
import { useShiftFacts } from './use-shift-facts.ts';

interface ShiftReportProps {
  readonly shift: Shift;
  readonly plan: Bootstrap;
  /** The hand-over that is shown; undefined: it is not written yet. */
  readonly handOver: HandOver | undefined;
  readonly onClose: () => void;
}

/** Prints what the shift did: its crew, its entries by level, what is open, and the text for the next shift. */
export function ShiftReport({ shift, plan, handOver, onClose }: ShiftReportProps) {
  const { t } = useTranslation('hand-over');
  const facets = useQuery({ ...shiftCountsQuery(shift), staleTime: 0 });
  const entries = useQuery({ ...shiftEntriesQuery(shift), staleTime: 0 });
  const { unanswered, error } = useShiftFacts(shift, plan);
  const text = useHandOverText(shift, handOver);
  const isReady =
    !facets.isPending && !entries.isPending && (unanswered !== undefined || error !== null) && !text.isPending;
  const hits = entries.data?.logs ?? [];
  const crew = facets.data?.owners.values.map(
    ({ name }) => hits.find(({ owner }) => owner === name)?.ownerName ?? name,
  );
  return (
    <PrintView isReady={isReady} onClose={onClose}>
      <h1>{t('reportOf', { name: shiftName(shift.name) })}</h1>
      <p>
        {formatMoment(shift.startMs)} – {formatMoment(shift.endMs)}
      </p>
      {crew && crew.length > 0 && <p>{t('crew', { names: crew.join(', ') })}</p>}
      <EntriesByLevel hits={hits} counts={facets.data?.levels.values ?? []} />
      {unanswered !== undefined && unanswered.length > 0 && (
        <section>
          <h2>{t('unanswered', { count: unanswered.length })}</h2>
          <Rows hits={unanswered} />
        </section>
      )}
      <section>
        <h2>{t('forNextShift')}</h2>
        <p>
          {handOver
            ? t('writtenBy', { name: handOver.author, when: formatMoment(handOver.writtenMs) })
            : t('notHandedOver')}
        </p>
        {text.data && <Prose source={text.data} />}
      </section>
      <PrintedAddress path={`/hand-over?shift=${shift.startMs}`} />
    </PrintView>
  );
}

interface EntriesProps {
  readonly hits: readonly Hit[];
  readonly counts: readonly { readonly name: string; readonly count: number }[];
}

/** Lists the entries under their levels, the most important first. */
function EntriesByLevel({ hits, counts }: EntriesProps) {
  const { t } = useTranslation('hand-over');
  if (counts.length === 0) return <p>{t('nothingHappened')}</p>;
  return counts
    .toSorted((a, b) => levelRank(a.name) - levelRank(b.name))
    .map(({ name, count }) => {
      const ofLevel = hits.filter(({ level }) => level === name);
      return (
        <section key={name}>
          <h2>
            <Level level={name} /> {count}
          </h2>
          <Rows hits={ofLevel} />
          {ofLevel.length < count && <p>{t('moreUnanswered', { count: count - ofLevel.length })}</p>}
        </section>
      );
    });
}

function Rows({ hits }: Pick<EntriesProps, 'hits'>) {
  return (
    <table className="printed-rows">
      <tbody>
        {hits.map(({ id, createdDate, title, owner, ownerName, logbooks }) => (
          <tr key={id}>
            <td className="number">{formatTime(createdDate)}</td>
            <td className="number">{formatId(id)}</td>
            <td dir="auto">{title}</td>
            <td>{ownerName ?? owner}</td>
            <td>{logbooks.map(({ name }) => name).join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns the text of a hand-over, or of the one that the reader has begun. */
function useHandOverText(shift: Shift, handOver: HandOver | undefined) {
  const userName = useMe()?.userName ?? null;
  return useQuery({
    queryKey: ['hand-over text', shift.startMs, handOver?.entryId, userName] as const,
    queryFn: async ({ client }): Promise<string> => {
      if (handOver) return (await client.fetchQuery(entryQuery(handOver.entryId))).source;
      const begun = await findBegunDraft(userName, (draft) => isHandOverOf(draft, shift.startMs));
      return begun?.content.text ?? '';
    },
    staleTime: 0,
    gcTime: 0,
  });
}
