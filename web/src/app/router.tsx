import { createRootRoute, createRoute, createRouter, notFound, Outlet, redirect } from '@tanstack/react-router';
import i18next from 'i18next';
import { administrationSearch } from '../administration/administration-search.ts';
import { serverNow } from '../api/server-clock.ts';
import { aroundSearch } from '../around/around-span.ts';
import { FindPage } from '../find/find-page.tsx';
import { findSearch } from '../find/find-search.ts';
import { searchAt } from '../find/moment.ts';
import { handOverSearch } from '../hand-over/hand-over-search.ts';
import { locale } from '../i18n/i18n.ts';
import { awaitEntryOf } from '../keys/awaited-entry.ts';
import { areKeysHeld, holdKeys, keepKeys } from '../keys/held-keys.ts';
import { signInSearch } from '../session/sign-in-search.ts';
import { AppFrame } from './app-frame.tsx';
import { lazyPage } from './lazy-page.tsx';
import { NotFound } from './not-found.tsx';
import { Overlays } from './overlays.tsx';
import { PageFault } from './page-fault.tsx';
import { parseSearch, stringifySearch } from './url-search.ts';

function Root() {
  return (
    <>
      <Outlet />
      <Overlays />
    </>
  );
}

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFound });

/** Pages with the top bar. */
const framedRoute = createRoute({ getParentRoute: () => rootRoute, id: 'framed', component: AppFrame });

/** The list stays mounted while the entry next to it changes, so that the list keeps its scroll position. */
const findRoute = createRoute({
  getParentRoute: () => framedRoute,
  id: 'find',
  component: FindPage,
  validateSearch: findSearch,
  beforeLoad: ({ location, search }) => {
    // `?wall` shows any search on the wall.
    if (/[?&]wall(=|&|$)/.test(location.searchStr)) throw redirect({ to: '/wall', search: findSearch(search) });
  },
});

const listRoute = createRoute({ getParentRoute: () => findRoute, path: '/' });

const entryRoute = createRoute({
  getParentRoute: () => findRoute,
  path: '/entries/$entryId',
  component: lazyPage(() => import('../read/entry-pane.tsx'), 'EntryPane'),
});

/** Redirects to the entries around a moment. */
const momentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/at/$moment',
  beforeLoad: ({ params: { moment } }) => {
    const search = searchAt(moment, serverNow(), locale());
    if (search === undefined) throw notFound();
    throw redirect({ to: '/', search, replace: true });
  },
});

/** Redirects to the page for a new entry, which the parameters of the address fill in. */
const newRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/new',
  beforeLoad: ({ search }) => {
    throw redirect({ to: '/write' as '/', search, replace: true });
  },
});

const historyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/entries/$entryId/history',
  component: lazyPage(() => import('../read/history-page.tsx'), 'HistoryPage'),
});

const savedRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/saved',
  component: lazyPage(() => import('../find/saved-page.tsx'), 'SavedPage'),
});

const signInRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/sign-in',
  component: lazyPage(() => import('../session/sign-in-page.tsx'), 'SignInPage'),
  validateSearch: signInSearch,
});

const administrationPage = lazyPage(() => import('../administration/administration-page.tsx'), 'AdministrationPage');

const administrationRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/administration',
  loader: () => i18next.loadNamespaces(['administration', 'write']),
  component: administrationPage,
  validateSearch: administrationSearch,
});

const administrationSectionRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/administration/$section',
  loader: () => i18next.loadNamespaces(['administration', 'write']),
  component: administrationPage,
  validateSearch: administrationSearch,
});

/** Former address of the administration, for bookmarks and links. */
const formerAdministrationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/look-after/{-$section}',
  validateSearch: administrationSearch,
  beforeLoad: ({ params: { section }, search }) => {
    if (section === undefined) throw redirect({ to: '/administration', search, replace: true });
    throw redirect({ to: '/administration/$section', params: { section }, search, replace: true });
  },
});

const handOverRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/hand-over',
  loader: () => i18next.loadNamespaces(['hand-over', 'write']),
  component: lazyPage(() => import('../hand-over/hand-over-page.tsx'), 'HandOverPage'),
  validateSearch: handOverSearch,
});

const wallRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/wall',
  loader: () => i18next.loadNamespaces('wall'),
  component: lazyPage(() => import('../wall/wall-page.tsx'), 'WallPage'),
  validateSearch: findSearch,
});

const inboxRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/inbox',
  loader: () => i18next.loadNamespaces('inbox'),
  component: lazyPage(() => import('../inbox/inbox-page.tsx'), 'InboxPage'),
});

const deviceRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/devices/$name',
  loader: () => i18next.loadNamespaces('device'),
  component: lazyPage(() => import('../devices/device-page.tsx'), 'DevicePage'),
});

const aroundRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/entries/$entryId/around',
  loader: () => i18next.loadNamespaces(['around', 'device', 'plot']),
  component: lazyPage(() => import('../around/around-page.tsx'), 'AroundPage'),
  validateSearch: aroundSearch,
});

const draftsRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/drafts',
  loader: () => i18next.loadNamespaces('write'),
  component: lazyPage(() => import('../drafts/drafts-page.tsx'), 'DraftsPage'),
});

/** Page for writing, without the top bar, so that no one leaves a text by mistake. */
const writeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/write/{-$draftId}',
  loader: () => i18next.loadNamespaces('write'),
  component: lazyPage(() => import('../write/write-page.tsx'), 'WritePage'),
});

const routeTree = rootRoute.addChildren([
  framedRoute.addChildren([
    findRoute.addChildren([listRoute, entryRoute]),
    savedRoute,
    signInRoute,
    administrationRoute,
    administrationSectionRoute,
    handOverRoute,
    inboxRoute,
    draftsRoute,
    deviceRoute,
    aroundRoute,
  ]),
  formerAdministrationRoute,
  wallRoute,
  historyRoute,
  momentRoute,
  newRoute,
  writeRoute,
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultErrorComponent: PageFault,
  defaultNotFoundComponent: NotFound,
  // The list keeps its scroll position; the page itself never scrolls.
  scrollRestoration: false,
});

// Pages whose field receives the first keys. The address of a new draft changes while its page is open.
const typesFirst = /^\/(write|sign-in|hand-over)(\/|$)/;
router.subscribe('onBeforeNavigate', ({ fromLocation, toLocation }) => {
  const { pathname, href } = toLocation;
  if (!awaitEntryOf(pathname)) return;
  if (!typesFirst.test(pathname)) keepKeys();
  else if (fromLocation === undefined || !typesFirst.test(fromLocation.pathname) || areKeysHeld())
    // Keys typed on the sign-in page are not stored: they may be a password.
    holdKeys(pathname === '/sign-in' ? '' : href);
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
