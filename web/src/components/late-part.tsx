import { type ReactNode, Suspense } from 'react';
import { ErrorBoundary } from '../app/error-boundary.tsx';

interface LatePartProps {
  readonly onClose: () => void;
  /** Shown until the part is loaded, and if it fails. */
  readonly plain?: ReactNode;
  readonly children: ReactNode;
}

/** A popover or dialog that is loaded on use. If it fails, a separate dialog says so, and the page stays as it is. */
export function LatePart({ onClose, plain, children }: LatePartProps) {
  return (
    <ErrorBoundary onClose={onClose} plain={plain}>
      <Suspense fallback={plain}>{children}</Suspense>
    </ErrorBoundary>
  );
}
