import i18next from 'i18next';
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import { ErrorBoundary } from '../app/error-boundary.tsx';

/** The plot with its texts, which are loaded with the first one that is shown. */
const Loaded = lazy(async () => {
  const [{ Plot }] = await Promise.all([import('../plots/plot.tsx'), i18next.loadNamespaces('plot')]);
  return { default: Plot };
});

interface LazyPlotProps extends ComponentProps<typeof Loaded> {
  /** Shown until the plot is loaded; default: empty space of its height. */
  readonly loading?: ReactNode;
}

/** A plot that is loaded on use. A fault stays in its place, so that the words around it can be read. */
export function LazyPlot({ loading, ...plot }: LazyPlotProps) {
  return (
    <ErrorBoundary>
      <Suspense fallback={loading ?? <div style={{ height: plot.height }} />}>
        <Loaded {...plot} />
      </Suspense>
    </ErrorBoundary>
  );
}
