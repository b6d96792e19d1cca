import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { FindPage } from '../find/find-page.tsx';
import { findSearch } from '../find/find-search.ts';
import { handOverSearch } from '../hand-over/hand-over-search.ts';
import { lookAfterSearch } from '../look-after/look-after-search.ts';
import { signInSearch } from '../session/sign-in-search.ts';
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
  beforeLoad: ({ location, search }) => {
    // `?wall` shows any search on the wall.
    if (/[?&]wall(=|&|$)/.test(location.searchStr)) throw redirect({ to: '/wall', search: findSearch(search) });
  },
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

const signInRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../session/sign-in-page.tsx'), 'SignInPage'),
  validateSearch: signInSearch,
});

const lookAfterPage = lazyRouteComponent(() => import('../look-after/look-after-page.tsx'), 'LookAfterPage');

const lookAfterRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/look-after',
  component: lookAfterPage,
  validateSearch: lookAfterSearch,
});

const lookAfterSectionRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/look-after/$section',
  component: lookAfterPage,
  validateSearch: lookAfterSearch,
});

const handOverRoute = createRoute({
  getParentRoute: () => framedRoute,
  path: '/hand-over',
  component: lazyRouteComponent(() => import('../hand-over/hand-over-page.tsx'), 'HandOverPage'),
  validateSearch: handOverSearch,
});

const wallRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/wall',
  component: lazyRouteComponent(() => import('../wall/wall-page.tsx'), 'WallPage'),
  validateSearch: findSearch,
});

const routeTree = rootRoute.addChildren([
  framedRoute.addChildren([
    findRoute.addChildren([listRoute, entryRoute]),
    signInRoute,
    lookAfterRoute,
    lookAfterSectionRoute,
    handOverRoute,
  ]),
  wallRoute,
  historyRoute,
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
