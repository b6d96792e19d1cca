import { ChevronDown, ChevronRight, ChevronUp, Copy, Undo2 } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../api/types.ts';
import { isFocusFree } from '../app/page-focus.ts';
import { copyText } from '../components/copy-text.ts';
import { Icon } from '../components/icon.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { useShortcut } from '../keys/use-shortcut.ts';
import { type Comparison, compareVersions, type Piece } from './compare-versions.ts';
import type { DiffMarks } from './rendered-diff.ts';
import { RenderedText } from './rendered-text.tsx';

interface VersionDiffProps {
  readonly a: Entry;
  readonly b: Entry;
  readonly from: number;
  readonly to: number;
  readonly form: 'source' | 'description';
  readonly isSplit: boolean;
  /** Makes version A the newest again; undefined when it is the newest. */
  readonly onRestore: (() => void) | undefined;
}

/** Shows the differences between two versions: fields as a list, and the text word by word. */
export function VersionDiff({ a, b, from, to, form, isSplit, onRestore }: VersionDiffProps) {
  const { t } = useTranslation('read');
  const place = useRef<HTMLElement>(null);
  const comparison = useMemo(() => compareVersions(a, b, form), [a, b, form]);
  const { changeCount, wordsAdded, wordsRemoved } = comparison;
  const go = (by: number) => goToChange(place.current, by);
  useShortcut('showNew', () => go(1));
  useEffect(() => {
    if (isFocusFree()) place.current?.focus();
  }, []);
  return (
    <main className="history-text" ref={place} tabIndex={-1}>
      <div className="row">
        <strong>{t('compared', { from, to })}</strong>
        {changeCount === 0 ? (
          <span className="muted">{t('noChanges')}</span>
        ) : (
          <span className="muted">
            {t('changes', { count: changeCount })}{' '}
            <span className="added">{t('wordsAdded', { count: wordsAdded })}</span>,{' '}
            <span className="removed">{t('wordsRemoved', { count: wordsRemoved })}</span>
          </span>
        )}
        <span className="grow" />
        <IconButton small className="" icon={ChevronUp} label={t('previousChange')} onClick={() => go(-1)} />
        <IconButton small className="" icon={ChevronDown} label={t('nextChange')} keys="N" onClick={() => go(1)} />
      </div>
      <FieldChanges comparison={comparison} />
      <VersionText {...{ a, b, form, isSplit }} pieces={comparison.text} />
      <div className="row">
        {onRestore && (
          <button type="button" className="button" onClick={onRestore}>
            <Icon of={Undo2} />
            {t('restoreVersion', { n: from })}
          </button>
        )}
        <button type="button" className="button ghost" onClick={() => void copyText(a.source, t('markdownCopied'))}>
          <Icon of={Copy} />
          {t('copyVersion', { n: from })}
        </button>
      </div>
    </main>
  );
}

const inline: DiffMarks = { removed: 'del', added: 'ins' };
const onlyRemoved: DiffMarks = { removed: undefined, added: 'del' };
const onlyAdded: DiffMarks = { removed: undefined, added: 'ins' };

interface VersionTextProps extends Pick<VersionDiffProps, 'a' | 'b' | 'form' | 'isSplit'> {
  readonly pieces: readonly Piece[];
}

/** The text with its markup rendered or as source, in one column or in two. */
function VersionText({ a, b, form, isSplit, pieces }: VersionTextProps) {
  const text = (marks: DiffMarks, kinds: readonly Piece['kind'][]) =>
    form === 'description' ? (
      // Text that only the older version has is rendered as an addition of the reverse comparison.
      <RenderedText
        {...(marks === onlyRemoved ? { from: b.source, to: a.source } : { from: a.source, to: b.source })}
        marks={marks}
      />
    ) : (
      <div className="diff-text source" dir="auto">
        <Pieces pieces={pieces.filter(({ kind }) => kinds.includes(kind))} />
      </div>
    );
  if (!isSplit) return text(inline, ['same', 'added', 'removed']);
  return (
    <div className="split">
      {text(onlyRemoved, ['same', 'removed'])}
      {text(onlyAdded, ['same', 'added'])}
    </div>
  );
}

function FieldChanges({ comparison: { title, level, lists } }: { readonly comparison: Comparison }) {
  const { t } = useTranslation('read');
  if (!title && !level && lists.length === 0) return null;
  return (
    <dl className="field-changes">
      {title && (
        <FieldChange name={t('fields.title')}>
          <Pieces pieces={title} />
        </FieldChange>
      )}
      {level && (
        <FieldChange name={t('fields.level')}>
          <span className="row">
            <del>{level[0]}</del>
            <Icon of={ChevronRight} />
            <ins>{level[1]}</ins>
          </span>
        </FieldChange>
      )}
      {lists.map(([field, { kept, added, removed }]) => (
        <FieldChange key={field} name={t(`fields.${field}`)}>
          {kept.join(', ')}{' '}
          {removed.map((name) => (
            <del key={name}>− {name}</del>
          ))}{' '}
          {added.map((name) => (
            <ins key={name}>+ {name}</ins>
          ))}
        </FieldChange>
      ))}
    </dl>
  );
}

function FieldChange({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
  return pieces.map(({ text, kind }, at) => {
    const Tag = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span';
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity
    return <Tag key={at}>{text}</Tag>;
  });
}

/**
 * Scrolls to the change after or before the focused one, and focuses it. If none has the focus, begins with the first
 * or the last.
 */
function goToChange(place: HTMLElement | null, by: number): void {
  const changes = [...(place?.querySelectorAll<HTMLElement>('ins, del') ?? [])];
  const current = changes.indexOf(document.activeElement as HTMLElement);
  const next = changes[current < 0 ? (by > 0 ? 0 : changes.length - 1) : current + by];
  if (!next) return;
  next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'center' });
}
