import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startAlerts } from './alerts/alerts.ts';
import { queryClient } from './api/query-client.ts';
import { fetchNextChunks } from './app/fetch-next-chunks.ts';
import { router } from './app/router.tsx';
import { parseSearch } from './app/url-search.ts';
import { whenIdle } from './app/when-idle.ts';
import { findSearch } from './find/find-search.ts';
import { facetsQuery, pageQuery } from './find/search-queries.ts';
import { startI18n } from './i18n/i18n.ts';
import { startLive } from './live/live-connection.ts';
import { startRecovery } from './offline/recover.ts';
import { startWorker } from './offline/start-worker.ts';
import { bootstrapQuery, meQuery, startSession } from './session/me.ts';
import { startSettings } from './settings/settings.ts';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/fields.css';
import './styles/floating.css';
import './app/app-frame.css';

startSettings();
startSession();
startLive();
startRecovery();
prefetch();
void startI18n().then(start);

/** Requests the data of the first page while the texts are loaded. */
function prefetch(): void {
  void queryClient.prefetchQuery(bootstrapQuery);
  void queryClient.prefetchQuery(meQuery);
  if (!/^\/(entries\/|$)/.test(location.pathname)) return;
  const search = findSearch(parseSearch(location.search));
  void queryClient.prefetchQuery(pageQuery(search, 0, undefined));
  void queryClient.prefetchQuery(facetsQuery(search));
}

function start(): void {
  const root = document.getElementById('root');
  if (!root) return;
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
  whenIdle(fetchNextChunks);
  startAlerts((id) => void router.navigate({ to: '/entries/$entryId', params: { entryId: String(id) }, search: {} }));
  startWorker();
}
