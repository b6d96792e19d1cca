import i18next from 'i18next';
import { lazy } from 'react';

/** The plot with its texts, which are loaded with the first one that is shown. */
export const LazyPlot = lazy(async () => {
  const [{ Plot }] = await Promise.all([import('../plots/plot.tsx'), i18next.loadNamespaces('plot')]);
  return { default: Plot };
});
