import type { ComponentType } from 'react';
import { loadOnce } from './load-once.ts';

/** A page whose code the router loads when it is opened. A failed attempt is repeated the next time. */
export function lazyPage<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  const loadPage = loadOnce(load);
  let Loaded: ComponentType | undefined;
  let error: unknown;
  const Page: ComponentType & { preload?: () => Promise<void> } = () => {
    if (!Loaded) throw error;
    return <Loaded />;
  };
  Page.preload = () =>
    loadPage().then(
      (loaded) => {
        Loaded = loaded[name];
        delete Page.preload;
      },
      (reason) => {
        error = reason;
      },
    );
  return Page;
}
