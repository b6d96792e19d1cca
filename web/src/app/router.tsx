import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router';
import i18next from 'i18next';
import { FindPage } from '../find/find-page.tsx';
import { findSearch } from '../find/find-search.ts';
import { AppFrame } from './app-frame.tsx';
import { NotFound } from './not-found.tsx';
import { PageFault } from './page-fault.tsx';
import { parseSearch, stringifySearch } from './url-search.ts';

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

/** Pages with the top bar. */
const framedRoute = createRoute({ getParentRoute: () => rootRoute, id: 'framed', component: AppFrame });

/** The list stays mounted while entries beside it change, so that it keeps its place. */
export const findRoute = createRoute({
  getParentRoute: () => framedRoute,
  id: 'find',
  component: FindPage,
  validateSearch: findSearch,
});

export const listRoute = createRoute({ getParentRoute: () => findRoute, path: '/' });

export const entryRoute = createRoute({
  getParentRoute: () => findRoute,
  path: '/entries/$entryId',
  component: lazyRouteComponent(() => import('../read/entry-pane.tsx'), 'EntryPane'),
});

const historyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/entries/$entryId/history',
  component: lazyRouteComponent(() => import('../read/history-page.tsx'), 'HistoryPage'),
});

const savedRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/saved',
  component: lazyRouteComponent(() => import('../find/saved-page.tsx'), 'SavedPage'),
});

const signInRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../session/sign-in-page.tsx'), 'SignInPage'),
});

const draftsRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/drafts',
  loader: () => i18next.loadNamespaces('write'),
  component: lazyRouteComponent(() => import('../drafts/drafts-page.tsx'), 'DraftsPage'),
});

/** Without the top bar: nothing leads away from a text by mistake. */
const writeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/write/{-$draftId}',
  loader: () => i18next.loadNamespaces('write'),
  component: lazyRouteComponent(() => import('../write/write-page.tsx'), 'WritePage'),
});

const routeTree = rootRoute.addChildren([
  framedRoute.addChildren([findRoute.addChildren([listRoute, entryRoute]), savedRoute, signInRoute, draftsRoute]),
  historyRoute,
  writeRoute,
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultErrorComponent: PageFault,
  defaultNotFoundComponent: NotFound,
  // The list keeps its own place; the page itself never scrolls.
  scrollRestoration: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
