import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useViewport } from '../app/viewport.ts';
import { formatId } from '../components/format.ts';
import { IconButton } from '../components/icon-button.tsx';
import { Problem } from '../components/problem.tsx';
import { OutboxStatus } from '../drafts/outbox-status.tsx';
import { useLive } from '../live/live-connection.ts';
import { OutageNote } from '../offline/outage-note.tsx';
import { ToastRegion } from '../toasts/toast-region.tsx';
import { versionsQuery } from './entry-queries.ts';
import './history.css';
import { VersionDiff } from './version-diff.tsx';
import { VersionList } from './version-list.tsx';

/** The versions of an entry, and what differs between any two of them. */
export function HistoryPage() {
  const { t } = useTranslation('read');
  const { entryId = '' } = useParams({ strict: false });
  const search = useSearch({ strict: false }) as { readonly from?: string; readonly to?: string };
  const navigate = useNavigate();
  const { data: versions, error, refetch } = useQuery(versionsQuery(entryId));
  useLive((message) => {
    if (message.kind === 'updated' && message.id === Number(entryId)) void refetch();
  });
  const [isSplit, setSplit] = useState(false);
  const [form, setForm] = useState<'source' | 'description'>('description');
  const isPhone = useViewport() === 'phone';
  const count = versions?.length ?? 0;
  const to = clamp(search.to, count, count);
  const from = clamp(search.from, Math.max(1, to - 1), count);
  const choose = (next: { from?: number; to?: number }) =>
    void navigate({
      to: '/entries/$entryId/history',
      params: { entryId },
      search: (known: object) => ({ ...known, from: String(next.from ?? from), to: String(next.to ?? to) }) as object,
      replace: true,
    });
  const back = () =>
    void navigate({
      to: '/entries/$entryId',
      params: { entryId },
      search: ({ from: _f, to: _t, ...rest }: Record<string, unknown>) => rest as object,
    });
  const restore = () =>
    void navigate({ to: '/write' as '/', search: { edit: entryId, version: String(from) } as object });
  const [a, b] = [versions?.[from - 1], versions?.[to - 1]];
  return (
    <div className="history">
      <div>
        <OutageNote />
        <OutboxStatus />
        <header className="page-head">
          <IconButton icon={ChevronLeft} label={t('backToEntry')} onClick={back} />
          <h1>{t('historyOf', { id: formatId(Number(entryId)) })}</h1>
          <span className="muted cut grow">{versions?.at(-1)?.title}</span>
          <Forms isSplit={isSplit} onSplit={setSplit} form={form} onForm={setForm} />
        </header>
      </div>
      {error && !versions && <Problem error={error} retry={() => void refetch()} entryId={entryId} />}
      {versions && a && b && (
        <div className="history-grid">
          <VersionList versions={versions} from={from} to={to} onChoose={choose} />
          <VersionDiff
            {...{ a, b, from, to, form }}
            isSplit={isSplit && !isPhone}
            onRestore={from < count ? restore : undefined}
          />
        </div>
      )}
      <ToastRegion />
    </div>
  );
}

interface FormsProps {
  readonly isSplit: boolean;
  readonly onSplit: (isSplit: boolean) => void;
  readonly form: 'source' | 'description';
  readonly onForm: (form: 'source' | 'description') => void;
}

/** Chooses how the difference is shown. */
function Forms({ isSplit, onSplit, form, onForm }: FormsProps) {
  const { t } = useTranslation('read');
  const isPhone = useViewport() === 'phone';
  return (
    <>
      {!isPhone && (
        <Segment
          label={t('layout')}
          value={isSplit}
          options={[
            [false, t('inline')],
            [true, t('sideBySide')],
          ]}
          onChange={onSplit}
        />
      )}
      <Segment
        label={t('form')}
        value={form}
        options={[
          ['description', t('asRead')],
          ['source', t('markdown')],
        ]}
        onChange={onForm}
      />
    </>
  );
}

function clamp(text: string | undefined, fallback: number, count: number): number {
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= count ? value : fallback;
}

interface SegmentProps<T> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
}

function Segment<T extends string | boolean>({ label, value, options, onChange }: SegmentProps<T>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons, not a group of form fields
    <span className="segment" role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <button
          key={text}
          type="button"
          className="button"
          aria-pressed={option === value}
          onClick={() => onChange(option)}
        >
          {text}
        </button>
      ))}
    </span>
  );
}
