import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { OutboxStatus } from '../drafts/outbox-status.tsx';
import { SearchBox } from '../find/search-box.tsx';
import { InboxButton } from '../inbox/inbox-button.tsx';
import { shownKeys } from '../keys/shortcuts.ts';
import { useShortcut } from '../keys/use-shortcut.ts';
import { OutageNote } from '../offline/outage-note.tsx';
import { AccountMenu } from '../session/account-menu.tsx';
import { SessionNote } from '../session/session-note.tsx';
import { changeSetting, readSettings, shownTheme } from '../settings/settings.ts';
import { SettingsMenu } from '../settings/settings-menu.tsx';
import { ToastRegion } from '../toasts/toast-region.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { useNewEntryLink } from './new-entry.ts';
import { focusAfterAction, focusContent } from './page-focus.ts';
import { Tabs } from './tabs.tsx';
import { useGoTo } from './use-go-to.ts';
import { useViewport } from './viewport.ts';

/** Frame of all pages except those for writing: the search on top, and on a phone tabs at the bottom. */
export function AppFrame() {
  const { t } = useTranslation();
  const viewport = useViewport();
  useGoTo();
  const newEntry = useNewEntryLink();
  useShortcut('theme', () => changeSetting('theme', shownTheme(readSettings()) === 'light' ? 'dark' : 'light'));
  return (
    <div className="app">
      <div>
        <button type="button" className="button skip" onClick={focusContent}>
          {t('skipToList')}
        </button>
        <OutageNote />
        <SessionNote />
        <OutboxStatus />
      </div>
      <header className="top">
        <Brand />
        <SearchBox />
        {viewport !== 'phone' && (
          <div className="acts">
            <Link className="button primary" {...newEntry}>
              <Icon of={Plus} />
              {t('newEntry')}
              <kbd>{shownKeys('write')}</kbd>
            </Link>
            <InboxButton />
            <SettingsMenu />
            <AccountMenu />
          </div>
        )}
      </header>
      <ErrorBoundary>
        {/* The frame and any open dialog stay while a page loads. */}
        <Suspense fallback={<main />}>
          <Outlet />
          <FocusOfPage />
        </Suspense>
      </ErrorBoundary>
      {viewport === 'phone' && <Tabs />}
      <ToastRegion />
    </div>
  );
}

function FocusOfPage() {
  const page = useRouterState({ select: ({ matches }) => matches.at(-1)?.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another page is shown
  useEffect(focusAfterAction, [page]);
  return null;
}

function Brand() {
  const { t } = useTranslation();
  return (
    <Link className="brand" to="/" search={{}} aria-label={t('appName')}>
      <svg viewBox="0 0 22 22" aria-hidden="true">
        <rect x="3" y="2" width="16" height="18" rx="3.5" fill="currentColor" />
        <path d="M7 7.5h8M7 11h5.5M7 14.5h3" stroke="var(--canvas)" strokeWidth="1.8" strokeLinecap="round" />
      </svg>
      <span>{t('appName')}</span>
    </Link>
  );
}
