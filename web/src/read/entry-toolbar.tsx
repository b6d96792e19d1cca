import {
  ChevronDown,
  ChevronUp,
  ClipboardType,
  Copy,
  CornerUpLeft,
  Crosshair,
  Ellipsis,
  Eraser,
  History,
  Link,
  Pencil,
  Printer,
} from 'lucide-react';
import { lazy, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../api/types.ts';
import { Icon } from '../components/icon.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { LatePart } from '../components/late-part.tsx';
import { Menu } from '../components/menu.tsx';
import { useFind } from '../find/find-context.ts';
import { useThreadWatch } from '../inbox/use-thread-watch.ts';
import { holdKeys } from '../keys/held-keys.ts';
import { shownKeys } from '../keys/shortcuts.ts';
import { useTypedFor } from '../keys/use-typed-for.ts';
import { useUserOfPage } from '../session/me.ts';
import { useEntryActions } from './use-entry-actions.ts';

const RedactDialog = lazy(async () => ({ default: (await import('./redact-dialog.tsx')).RedactDialog }));

/** The actions of an open entry, and the buttons for the previous and the next one: a landmark of the page. */
export function EntryToolbar({ entry }: { readonly entry: Entry }) {
  const { t } = useTranslation('read');
  const actions = useEntryActions(entry);
  return (
    <section aria-label={t('actions')}>
      <div className="entry-bar" role="toolbar" aria-label={t('actions')}>
        <button type="button" className="button small" onClick={actions.reply}>
          <Icon of={CornerUpLeft} />
          {t('reply')}
        </button>
        <button type="button" className="button ghost small" onClick={actions.edit}>
          <Icon of={Pencil} />
          {t('edit')}
        </button>
        {entry.modifyDate !== null && (
          <button type="button" className="button ghost small" onClick={actions.history}>
            <Icon of={History} />
            {t('history')}
          </button>
        )}
        <span className="grow" />
        <IconButton small icon={Crosshair} label={t('around')} keys={shownKeys('around')} onClick={actions.around} />
        <IconButton small icon={Link} label={t('copyLink')} keys={shownKeys('copyLink')} onClick={actions.copyLink} />
        <MoreActions entry={entry} small />
        <span className="separator" />
        <Neighbours small />
      </div>
    </section>
  );
}

export function Neighbours({ small = false }: { readonly small?: boolean }) {
  const { t } = useTranslation('read');
  const find = useFind();
  return (
    <>
      <IconButton
        small={small}
        icon={ChevronUp}
        label={t('previous')}
        keys={shownKeys('previous')}
        onClick={() => find?.step(-1)}
      />
      <IconButton
        small={small}
        icon={ChevronDown}
        label={t('next')}
        keys={shownKeys('next')}
        onClick={() => find?.step(1)}
      />
    </>
  );
}

/** Shows the actions that are needed less often. */
export function MoreActions({ entry, small = false }: { readonly entry: Entry; readonly small?: boolean }) {
  const { t } = useTranslation('read');
  const actions = useEntryActions(entry);
  const isAdmin = useUserOfPage()?.permissions.includes('admin') ?? false;
  const [isRedacting, setRedacting] = useState(false);
  const place = `redact ${entry.id}`;
  const startRedacting = () => {
    holdKeys(place);
    setRedacting(true);
  };
  useTypedFor(isAdmin ? place : undefined, startRedacting);
  const redact = { icon: Eraser, label: t('redact'), onAction: startRedacting };
  const watch = useThreadWatch(entry);
  const trigger = (
    <button type="button" className={`button ghost icon-only ${small ? 'small' : ''}`} aria-label={t('more')}>
      <Icon of={Ellipsis} />
    </button>
  );
  return (
    <>
      <Menu
        trigger={trigger}
        label={t('more')}
        items={[
          { icon: Copy, label: t('copyMarkdown'), keys: shownKeys('copyMarkdown'), onAction: actions.copyMarkdown },
          { icon: ClipboardType, label: t('copyRich'), keys: shownKeys('copyRich'), onAction: actions.copyRich },
          { icon: Link, label: t('copyLink'), keys: shownKeys('copyLink'), onAction: actions.copyLink },
          { icon: Crosshair, label: t('around'), keys: shownKeys('around'), onAction: actions.around },
          { icon: History, label: t('history'), keys: shownKeys('history'), onAction: actions.history },
          ...watch,
          { icon: Printer, label: t('print'), keys: shownKeys('print'), onAction: actions.print },
          ...(isAdmin ? [redact] : []),
        ]}
      />
      {isRedacting && (
        <LatePart onClose={() => setRedacting(false)}>
          <RedactDialog entry={entry} onClose={() => setRedacting(false)} />
        </LatePart>
      )}
    </>
  );
}
